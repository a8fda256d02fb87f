package ordered

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"
)

func numbers(n int, end error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if end != nil {
			yield(0, end)
		}
	}
}

func TestMapKeepsOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		next := 0
		for got, err := range Map(t.Context(), workers, numbers(500, nil), func(_, v int) int {
			if v%13 == 0 {
				time.Sleep(time.Millisecond)
			}
			return v * 2
		}, nil) {
			if err != nil || got != next*2 {
				t.Fatalf("%d workers: result %d is %d, %v", workers, next, got, err)
			}
			next++
		}
		if next != 500 {
			t.Fatalf("%d workers: %d results", workers, next)
		}
	}
}

func TestMapYieldsErrorInPlace(t *testing.T) {
	cause := errors.New("no more")
	for _, workers := range []int{1, 3} {
		results := 0
		var last error
		for _, err := range Map(t.Context(), workers, numbers(20, cause), func(_, v int) int { return v }, nil) {
			if err == nil {
				results++
			}
			last = err
		}
		if results != 20 || !errors.Is(last, cause) {
			t.Fatalf("%d workers: %d results, then %v", workers, results, last)
		}
	}
}

// Every value that was worked on is either yielded or dropped.
func TestMapDropsWhatNobodySees(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		var made, dropped atomic.Int64
		seen := int64(0)
		for range Map(t.Context(), workers, numbers(1000, nil), func(_, v int) int {
			made.Add(1)
			return v
		}, func(int) { dropped.Add(1) }) {
			seen++
			if seen == 10 {
				break
			}
		}
		if made.Load() != seen+dropped.Load() {
			t.Fatalf("%d made, %d seen, %d dropped", made.Load(), seen, dropped.Load())
		}
	}
}

func TestMapEndsWithContext(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		var last error
		for _, err := range Map(ctx, workers, numbers(1_000_000, nil), func(_, v int) int { return v }, nil) {
			last = err
			if err != nil {
				break
			}
			if seen++; seen == 3 {
				cancel()
			}
		}
		cancel()
		if !errors.Is(last, context.Canceled) || seen > 100 {
			t.Fatalf("%d workers: %d results, then %v", workers, seen, last)
		}
	}
}

// A source that reads files fails when the context ends. Whichever is noticed
// first: the sequence must not look as if it had come to its end.
func TestMapNeverEndsQuietlyWithContext(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			source := func(yield func(int, error) bool) {
				if yield(1, nil) {
					cancel()
					yield(0, ctx.Err())
				}
			}
			var made, dropped, seen atomic.Int64
			var last error
			for _, err := range Map(ctx, workers, source, func(_, v int) int { made.Add(1); return v }, func(int) { dropped.Add(1) }) {
				if last = err; err == nil {
					seen.Add(1)
				}
			}
			cancel()
			if !errors.Is(last, context.Canceled) {
				t.Fatalf("%d workers: the sequence ended with %v", workers, last)
			}
			if made.Load() != seen.Load()+dropped.Load() {
				t.Fatalf("%d workers: %d made, %d seen, %d dropped", workers, made.Load(), seen.Load(), dropped.Load())
			}
		}
	}
}
