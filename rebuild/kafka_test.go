//go:build kafka && unix

package rebuild_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/rebuild"
)

// A broker starts on a log directory whose indexes were all deleted and then
// rebuilt here, as after a clean stop, when it looks at nothing. It serves the
// same records as before, and its log says nothing about indexes.
func TestBrokerServesRebuiltLogDir(t *testing.T) {
	k := oracle.Open(t)
	root := t.TempDir()
	config := map[string]string{"index.interval.bytes": "1000", "segment.bytes": "1048576"}
	before := k.BrokerCheck(root, oracle.BrokerOpts{
		Format: true,
		Create: []oracle.Topic{{Name: "t", Partitions: 1, Config: config}, {Name: "u", Partitions: 2, Config: config}},
		Produce: []oracle.Produce{
			{Topic: "t", Count: 3000, Codec: "none"}, {Topic: "t", Count: 3000, Codec: "zstd"}, {Topic: "u", Count: 2000, Codec: "lz4"},
		},
		Topics: []string{"t", "u"},
	})
	if !before.OK || before.Failure != nil {
		t.Fatalf("%+v", before)
	}
	target, err := logdir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	deleted := 0
	for _, ref := range target.Dir.Partitions {
		for _, name := range indexes(t, ref.Path) {
			if err := os.Remove(filepath.Join(ref.Path, name)); err != nil {
				t.Fatal(err)
			}
			deleted++
		}
	}
	o := defaults()
	o.Interval, o.InPlace, o.Verify = 1000, true, true
	var jobs []*rebuild.Job
	for job, err := range rebuild.Jobs(target, new(logdir.Filter)) {
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	rebuilt := 0
	for done, err := range rebuild.New(o).All(context.Background(), jobs) {
		if err := errorsOf(done.Plans, done.Err); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, plan := range done.Plans {
			rebuilt += len(plan.Files)
		}
	}
	if rebuilt < deleted || deleted < 6 {
		t.Errorf("%d indexes deleted, %d rebuilt", deleted, rebuilt)
	}
	after := k.BrokerCheck(root, oracle.BrokerOpts{Topics: []string{"t", "u"}})
	if !after.OK || !after.AliveAtEnd || after.Failure != nil || !after.CleanShutdown {
		t.Errorf("%+v", after)
	}
	if !reflect.DeepEqual(after.Partitions, before.Partitions) {
		t.Errorf("served %+v, before %+v", after.Partitions, before.Partitions)
	}
	if slices.ContainsFunc(after.Warnings, func(line string) bool { return strings.Contains(line, "ndex") }) {
		t.Errorf("the broker says %q", after.Warnings)
	}
}
