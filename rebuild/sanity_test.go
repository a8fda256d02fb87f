//go:build unix

package rebuild_test

import (
	"context"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/rebuild"
	"github.com/kafsck/kafsck/sanity"
)

// What is rebuilt, by the rule of any release, is sound to the check, which was
// written without a look at this package; and each index was verified before
// it was put in place.
func TestRebuiltIsSound(t *testing.T) {
	checked := 0
	for p := range fixture.Partitions(t, "kafka-4.4.0", "legacy/0.9.0.1", "legacy/1.1.1", "legacy/2.2.2", "clients") {
		if p.Kind != fixture.Closed || checked%3 > 0 && p.Name != "txn-0" && p.Name != "many-0" {
			checked++
			continue
		}
		checked++
		t.Run(p.String(), func(t *testing.T) {
			dir := p.Copy(t)
			o := defaults()
			var err error
			if o.Version, err = kafkaversion.Parse(p.Version); p.Version == "" {
				o.Version = kafkaversion.Latest
			} else if err != nil {
				t.Fatal(err)
			}
			o.Interval, o.InPlace, o.Verify = 200, true, true
			withoutSync := &faulty{FS: rebuild.OS, failAt: -1}
			o.FS = withoutSync
			mustRun(t, dir, o)
			target, err := logdir.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			_, err = sanity.Check(context.Background(), []*logdir.Target{target}, sanity.Options{Depth: sanity.Headers}, func(f *sanity.Finding) error {
				if f.Severity != sanity.Info {
					t.Errorf("%s: %s: %s", f.Code, f.File, f.Message)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
