package lookup

import (
	"context"
	"slices"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

// A broker that rolls, cleans or deletes a segment takes a moment for it.
const (
	// confirmations is how often something wrong has to be met, each time anew,
	// until it counts.
	confirmations = 3
	pause         = 20 * time.Millisecond
)

// opened is called between the listing and the search, for tests.
var opened = func() {}

// At opens the partition at path and looks target up. A running broker may take
// segments away, or cut them, between the listing and the search: then, and
// where something is wrong, both are done again, until the answer is one
// that doesn't change. The partition is the one that the result is about.
func At(ctx context.Context, path string, target Target, o Options) (*Partition, *Result, error) {
	var beside sanity.Beside
	for wrong, try := 0, 1; ; try++ {
		p, err := Open(path)
		if err != nil {
			return nil, nil, err
		}
		opened()
		r, err := p.Lookup(ctx, target, o)
		for i := range r.Findings {
			beside.Judge(&r.Findings[i])
		}
		if err == nil && !slices.ContainsFunc(r.Findings, isAlarm) {
			return p, r, nil
		}
		if err == nil {
			wrong++
		}
		if ctx.Err() != nil || wrong == confirmations || try == logdir.MostTries || !logdir.HeldNear(path) {
			return p, r, err
		}
		time.Sleep(pause)
	}
}

func isAlarm(f sanity.Finding) bool { return f.Severity > sanity.Info || f.Code.Unchecked() }
