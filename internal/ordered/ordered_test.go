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

// Several results of a value stay together and in order; a worker that is ahead
// waits; and what nobody sees is dropped.
func TestStreamKeepsOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var made, dropped atomic.Int64
		each := func(_, v int, emit func([2]int) bool) {
			for i := range v % 5 {
				made.Add(1)
				if !emit([2]int{v, i}) {
					return
				}
			}
		}
		drop := func([2]int) { dropped.Add(1) }
		want := [2]int{1, 0}
		seen := int64(0)
		for got, err := range Stream(t.Context(), workers, numbers(500, nil), each, drop) {
			if err != nil || got != want {
				t.Fatalf("%d workers: %v, %v, want %v", workers, got, err, want)
			}
			seen++
			if want[1]++; want[1] == want[0]%5 {
				want[0], want[1] = want[0]+1, 0
			}
			if want[0]%5 == 0 {
				want[0]++
			}
		}
		if want[0] != 501 || seen != made.Load() || dropped.Load() != 0 {
			t.Fatalf("%d workers: ended before %v; %d made, %d seen, %d dropped", workers, want, made.Load(), seen, dropped.Load())
		}
		for range Stream(t.Context(), workers, numbers(500, nil), each, drop) {
			if seen++; seen%10 == 7 {
				break
			}
		}
		if made.Load() != seen+dropped.Load() {
			t.Fatalf("%d workers: %d made, %d seen, %d dropped", workers, made.Load(), seen, dropped.Load())
		}
	}
}

// Work that stops halfway because the context ends doesn't look like a whole
// one.
func TestStreamNeverEndsQuietlyWithContext(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			var last error
			whole := false
			for _, err := range Stream(ctx, workers, numbers(1, nil), func(_, _ int, emit func(int) bool) {
				more := emit(0)
				cancel()
				whole = more && emit(1)
			}, nil) {
				last = err
			}
			if !whole && !errors.Is(last, context.Canceled) {
				t.Fatalf("%d workers: left halfway, and the sequence ended with %v", workers, last)
			}
		}
	}
}
