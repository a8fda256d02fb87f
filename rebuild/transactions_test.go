package rebuild_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/rebuild"
)

// The transaction index of a later segment, told alone: from the snapshot, or
// from the segments before it; without either it says what it can't know.
func TestTransactionsBeforeTheSegment(t *testing.T) {
	const second = "00000000000000000010"
	want := recovered(t)[second+".txnindex"]
	only := func(t *testing.T, dir string, o rebuild.Options) *rebuild.Plan {
		p, err := logdir.OpenPartition(dir)
		if err != nil {
			t.Fatal(err)
		}
		for plan, err := range rebuild.New(o).Partition(context.Background(), p, p.Segments[len(p.Segments)-1:], 0) {
			if err != nil {
				t.Fatal(err)
			}
			return plan
		}
		t.Fatal("no plan")
		return nil
	}
	for name, without := range map[string][]string{
		"from the snapshot":               {"00000000000000000000.log"},
		"from the snapshot and the start": nil,
		"from the segment before":         {second + ".snapshot"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
			for _, file := range without {
				if err := os.Remove(filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
			}
			o := defaults()
			o.OutDir = t.TempDir()
			plan := only(t, dir, o)
			if plan.Err != nil || len(plan.Notes) > 0 {
				t.Fatal(plan.Err, plan.Notes)
			}
			if got := read(t, o.OutDir, "txn-0", second+".txnindex"); !bytes.Equal(got, want) {
				t.Errorf("got %x\nwant %x", got, want)
			}
		})
	}
	t.Run("from nothing", func(t *testing.T) {
		dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
		for _, file := range []string{"00000000000000000000.log", second + ".snapshot"} {
			if err := os.Remove(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		plan := only(t, dir, defaults())
		if plan.Err != nil || len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "offset 10") {
			t.Errorf("%v %q", plan.Err, plan.Notes)
		}
	})
	t.Run("behind damage", func(t *testing.T) {
		dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
		first := filepath.Join(dir, "00000000000000000000.log")
		log := read(t, first)
		log[100] ^= 1
		if err := errors.Join(os.WriteFile(first, log, 0o600), os.Remove(filepath.Join(dir, second+".snapshot"))); err != nil {
			t.Fatal(err)
		}
		o := defaults()
		o.Prefix = true
		plans, err := run(t, dir, o)
		if err != nil || !errors.Is(plans[1].Err, rebuild.ErrUnknownTransactions) || len(plans[1].Files) != 2 {
			t.Errorf("%v %+v", err, plans[1])
		}
	})
}
