package sanity_test

import (
	"context"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

// Whatever is being read when a check is interrupted: it is no fault of a file.
func TestInterruptIsNoFinding(t *testing.T) {
	target, err := logdir.Open(fixture.Copy(t, "kafka-4.4.0/closed/many-0"))
	if err != nil {
		t.Fatal(err)
	}
	for after := range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		o := sanity.Options{Workers: 1, Progress: func(int64) {
			if reads++; reads > after {
				cancel()
			}
		}}
		_, err := sanity.Check(ctx, []*logdir.Target{target}, o, func(f *sanity.Finding) error {
			if f.Severity > sanity.Info {
				t.Errorf("interrupted after %d reads: %s: %s", after, f.File, f.Message)
			}
			return nil
		})
		cancel()
		if err == nil && reads > after {
			t.Errorf("interrupted after %d reads: no error", after)
		}
	}
}
