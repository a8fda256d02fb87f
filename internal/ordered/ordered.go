// Package ordered maps a sequence on several goroutines and yields the results
// in the order of the sequence.
package ordered

import (
	"context"
	"iter"
	"sync"
)

// Map calls work on every value of in, on up to workers goroutines at a time,
// and yields the results in the order of in. The first argument of work is the
// number of the worker, from 0, so that each can keep state of its own. An
// error of in is yielded in its place and ends the sequence, as does the end
// of ctx: a sequence that ends without an error is whole. drop, where not nil,
// is called on the results that nobody will see, because the consumer stopped
// or ctx ended.
//
// At most two values a worker are under way at once: memory stays bounded
// whatever the consumer does.
func Map[T, R any](ctx context.Context, workers int, in iter.Seq2[T, error],
	work func(worker int, value T) R, drop func(R)) iter.Seq2[R, error] {
	if workers <= 1 {
		return inline(ctx, in, work, drop)
	}
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		type job struct {
			value  T
			err    error
			result chan R
		}
		todo := make(chan *job)
		inOrder := make(chan *job, 2*workers)
		var running sync.WaitGroup
		for worker := range workers {
			running.Go(func() {
				for j := range todo {
					j.result <- work(worker, j.value)
				}
			})
		}
		running.Go(func() {
			defer close(inOrder)
			defer close(todo)
			for value, err := range in {
				j := &job{value: value, err: err, result: make(chan R, 1)}
				select {
				case inOrder <- j:
				case <-ctx.Done():
					// The value still has to go through work, which owns it, and
					// an error must not be lost, or the end looks like a whole one.
					inOrder <- j
					if err == nil {
						todo <- j
					}
					return
				}
				if err != nil {
					return
				}
				todo <- j
			}
		})
		stopped := false
		for j := range inOrder {
			if j.err != nil {
				if !stopped {
					var none R
					stopped = !yield(none, j.err)
				}
				continue
			}
			result := <-j.result
			if !stopped && ctx.Err() != nil {
				var none R
				yield(none, ctx.Err())
				stopped = true
			}
			if stopped {
				if drop != nil {
					drop(result)
				}
				continue
			}
			if !yield(result, nil) {
				stopped = true
				cancel()
			}
		}
		cancel()
		running.Wait()
	}
}

func inline[T, R any](ctx context.Context, in iter.Seq2[T, error], work func(int, T) R, drop func(R)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		for value, err := range in {
			if err == nil && ctx.Err() != nil {
				// work owns the value, so it gets it all the same.
				if result := work(0, value); drop != nil {
					drop(result)
				}
				err = ctx.Err()
			}
			if err != nil {
				yield(none, err)
				return
			}
			if !yield(work(0, value), nil) {
				return
			}
		}
	}
}
