package rebuild_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/rebuild"
)

func defaults() rebuild.Options {
	return rebuild.Options{Version: kafkaversion.Latest, Interval: 4096, MaxIndexSize: 10 << 20, Workers: 2}
}

// run rebuilds a partition directory.
func run(t testing.TB, dir string, o rebuild.Options) ([]*rebuild.Plan, error) {
	t.Helper()
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	var plans []*rebuild.Plan
	for plan, err := range rebuild.New(o).Partition(context.Background(), p, p.Segments, 0) {
		if err != nil {
			return plans, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// errorsOf joins what was refused.
func errorsOf(plans []*rebuild.Plan, err error) error {
	all := []error{err}
	for _, plan := range plans {
		all = append(all, plan.Err)
	}
	return errors.Join(all...)
}

func mustRun(t testing.TB, dir string, o rebuild.Options) []*rebuild.Plan {
	t.Helper()
	plans, err := run(t, dir, o)
	if err := errorsOf(plans, err); err != nil {
		t.Fatal(err)
	}
	return plans
}

// spoiled is a copy of a captured partition whose indexes are garbage.
func spoiled(t testing.TB) string {
	t.Helper()
	dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
	for _, name := range indexes(t, dir) {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte{1}, 80), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func indexes(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := logdir.ParseName(e.Name()); name.Kind.IsIndex() && name.Suffix == logdir.NoSuffix {
			names = append(names, e.Name())
		}
	}
	return names
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The files of Kafka 4.4.0's own recovery, for the partition of spoiled.
func recovered(t testing.TB) map[string][]byte {
	t.Helper()
	for r := range fixture.Recovered(t, "kafka-4.4.0") {
		if r.Partition.Name == "txn-0" && r.Interval == 4096 && r.MaxBytes == 10<<20 {
			files := map[string][]byte{}
			for _, name := range r.Files(t) {
				if logdir.ParseName(name).Kind.IsIndex() {
					files[name] = r.ReadFile(t, name)
				}
			}
			return files
		}
	}
	t.Fatal("no golden files")
	return nil
}
