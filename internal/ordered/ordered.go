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
	return Stream(ctx, workers, in, func(worker int, value T, emit func(R) bool) {
		emit(work(worker, value))
	}, drop)
}

// Stream is Map for work that makes any number of results of a value: it hands
// each to emit, which waits for the consumer where too many are pending. False
// says that nobody wants more.
func Stream[T, R any](ctx context.Context, workers int, in iter.Seq2[T, error],
	work func(worker int, value T, emit func(R) bool), drop func(R)) iter.Seq2[R, error] {
	if drop == nil {
		drop = func(R) {}
	}
	if workers <= 1 {
		return inline(ctx, in, work, drop)
	}
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		todo := make(chan *job[T, R])
		inOrder := make(chan *job[T, R], 2*workers)
		var running sync.WaitGroup
		for worker := range workers {
			running.Go(func() {
				var j *job[T, R]
				emit := func(r R) bool {
					j.results <- r
					return ctx.Err() == nil
				}
				for j = range todo {
					work(worker, j.value, emit)
					close(j.results)
				}
			})
		}
		running.Go(func() {
			defer close(inOrder)
			defer close(todo)
			distribute(ctx, in, inOrder, todo)
		})
		out := consumer[R]{ctx: ctx, yield: yield, drop: drop}
		for j := range inOrder {
			if j.err != nil {
				out.fail(j.err)
				continue
			}
			for result := range j.results {
				if !out.take(result) {
					cancel()
				}
			}
			out.check() // work may have been left halfway
		}
		cancel()
		running.Wait()
	}
}

// job is a value on its way, and what becomes of it.
type job[T, R any] struct {
	value   T
	err     error
	results chan R
}

// pending is how many results of one value may wait for the consumer, and as
// many more in the hands of the workers.
const pending = 1

// distribute hands every value of in to a worker, after its place in the order
// is taken.
func distribute[T, R any](ctx context.Context, in iter.Seq2[T, error], inOrder, todo chan<- *job[T, R]) {
	for value, err := range in {
		j := &job[T, R]{value: value, err: err, results: make(chan R, pending)}
		select {
		case inOrder <- j:
		case <-ctx.Done():
			// The value still has to go through work, which owns it, and an
			// error must not be lost, or the end looks like a whole one.
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
}

// consumer hands results on until the one who takes them, or ctx, ends.
type consumer[R any] struct {
	ctx     context.Context
	yield   func(R, error) bool
	drop    func(R)
	stopped bool
}

// take says whether more is wanted.
func (c *consumer[R]) take(result R) bool {
	if c.check(); c.stopped {
		c.drop(result)
		return false
	}
	c.stopped = !c.yield(result, nil)
	return !c.stopped
}

// check fails where ctx has ended.
func (c *consumer[R]) check() {
	if err := c.ctx.Err(); err != nil {
		c.fail(err)
	}
}

func (c *consumer[R]) fail(err error) {
	if !c.stopped {
		var none R
		c.yield(none, err)
		c.stopped = true
	}
}

func inline[T, R any](ctx context.Context, in iter.Seq2[T, error], work func(int, T, func(R) bool), drop func(R)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		out := consumer[R]{ctx: ctx, yield: yield, drop: drop}
		for value, err := range in {
			if err != nil {
				out.fail(err)
				return
			}
			// work owns the value, so it gets it even where ctx has ended.
			work(0, value, out.take)
			if out.stopped {
				return
			}
		}
	}
}
