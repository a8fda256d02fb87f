package cmd

import (
	"context"

	"github.com/kafsck/kafsck/sanity"
)

// runReplayed is what a command does that replays the logs of one of Kafka's own
// topics below where, up to the offset at: load reads them, and show writes the
// result and returns how many records could not be made use of. What was read in
// part is shown, and what is wrong is told; the result is nil where nothing
// could be read.
func runReplayed[R any](ctx context.Context, global *globalOptions, where string, at int64,
	load func(ctx context.Context, path string, last int64, finding func(sanity.Finding)) (*R, error),
	show func(e *emitter, result *R) (skipped int64)) error {
	if err := checkAt(at); err != nil {
		return err
	}
	format, err := global.textTableJSON()
	if err != nil {
		return err
	}
	e := newEmitter(global, format)
	defer e.flush()
	result, err := load(ctx, where, at, e.finding)
	if err := e.failedParts(ctx, err); err != nil {
		return err
	}
	if result != nil {
		if skipped := show(e, result); skipped > 0 {
			e.note("%s could not be decoded or are of a newer type", counted(skipped, "record"))
		}
	}
	return e.end()
}
