package cmd

import (
	"context"

	"github.com/kafsck/kafsck/sanity"
)

// loadReplayed replays the logs of one of Kafka's own topics below where, up to
// the offset at, with load; what is wrong with them goes to the emitter that it
// returns. The result is nil where nothing could be read; what was read in
// part is told and doesn't stop the command.
func loadReplayed[R any](ctx context.Context, global *globalOptions, where string, at int64,
	load func(ctx context.Context, path string, last int64, finding func(sanity.Finding)) (*R, error)) (*emitter, *R, error) {
	if err := checkAt(at); err != nil {
		return nil, nil, err
	}
	format, err := global.textTableJSON()
	if err != nil {
		return nil, nil, err
	}
	e := newEmitter(global, format)
	result, err := load(ctx, where, at, e.finding)
	if err := e.failedParts(ctx, err); err != nil {
		e.flush()
		return nil, nil, err
	}
	return e, result, nil
}
