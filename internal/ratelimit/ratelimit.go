// Package ratelimit makes reading slow enough for a disk that a broker is
// using.
package ratelimit

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kafsck/kafsck/internal/readonly"
)

// Limiter spaces reads so that all that go through it, from any number of
// goroutines, stay below a number of bytes a second. A nil Limiter is no limit.
type Limiter struct {
	rate float64 // bytes a second

	mu   sync.Mutex
	next time.Time // when the next read may begin
}

// New returns a limiter to so many bytes a second; nil where that is 0 or less.
func New(bytesPerSecond int64) *Limiter {
	if bytesPerSecond <= 0 {
		return nil
	}
	return &Limiter{rate: float64(bytesPerSecond)}
}

// Wait is Pause until ctx ends, with its error.
func (l *Limiter) Wait(ctx context.Context, n int) error {
	l.Pause(ctx.Done(), n)
	return ctx.Err()
}

// Pause returns when n more bytes may be read, or when done is closed. What is
// waited for is that the bytes before have had their time; idle time isn't
// saved up.
func (l *Limiter) Pause(done <-chan struct{}, n int) {
	if l == nil || n <= 0 {
		return
	}
	l.mu.Lock()
	now := time.Now()
	begin := l.next
	if begin.Before(now) {
		begin = now
	}
	l.next = begin.Add(l.duration(n))
	l.mu.Unlock()
	if !begin.After(now) {
		return
	}
	timer := time.NewTimer(begin.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-done:
	}
}

// duration is the time that n bytes take; at most a day, so that times don't
// overflow.
func (l *Limiter) duration(n int) time.Duration {
	return time.Duration(min(float64(n)/l.rate, 86400) * float64(time.Second))
}

// ReaderAt is r, read no faster than the limiter allows. A large read is done
// in pieces of a twentieth of a second, so that it doesn't come in bursts and
// ends soon after ctx does. With a nil limiter it is Until.
func (l *Limiter) ReaderAt(ctx context.Context, r io.ReaderAt) io.ReaderAt {
	if l == nil {
		return Until(ctx, r)
	}
	return &reader{ctx: ctx, l: l, r: r, piece: int(min(max(l.rate/20, minPiece), maxPiece))}
}

// The bounds of a piece: a page of the page cache, and what scanners read at
// once.
const (
	minPiece = 4 << 10
	maxPiece = 1 << 20
)

type reader struct {
	ctx   context.Context
	l     *Limiter
	r     io.ReaderAt
	piece int
}

// ReadAt implements io.ReaderAt.
func (r *reader) ReadAt(p []byte, position int64) (n int, err error) {
	if len(p) == 0 {
		return r.r.ReadAt(p, position)
	}
	for n < len(p) {
		piece := p[n:min(len(p), n+r.piece)]
		if err := r.l.Wait(r.ctx, len(piece)); err != nil {
			return n, err
		}
		m, err := r.r.ReadAt(piece, position+int64(n))
		n += m
		if err != nil && (m < len(piece) || n == len(p)) {
			return n, err
		}
		if m < len(piece) {
			return n, io.ErrNoProgress
		}
	}
	return n, nil
}

// Until is r until ctx ends: a scanner may read gigabytes of zeros between two
// batches, and whoever iterates over these can't stop it meanwhile.
func Until(ctx context.Context, r io.ReaderAt) io.ReaderAt { return endsWith{ctx, r} }

type endsWith struct {
	ctx context.Context
	r   io.ReaderAt
}

// ReadAt implements io.ReaderAt.
func (e endsWith) ReadAt(p []byte, position int64) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.ReadAt(p, position)
}

// NextData skips holes, as readonly.File does. That reads nothing.
func (e endsWith) NextData(position int64) (int64, error) {
	if err := e.ctx.Err(); err != nil {
		return position, err
	}
	return readonly.NextData(e.r, position)
}

// NextData skips holes without waiting.
func (r *reader) NextData(position int64) (int64, error) {
	return endsWith{r.ctx, r.r}.NextData(position)
}

// units of bytes, the longer names first.
var units = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1},
}

// Parse reads a rate: a number with B, kB, MB, GB, TB (powers of 1000) or KiB,
// MiB, GiB, TiB (powers of 1024) behind it, and /s or not. A number alone is
// bytes. It is at least one byte a second.
func Parse(text string) (int64, error) {
	number, factor := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "/s"), 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = rest, u.bytes
			break
		}
	}
	number = strings.TrimRight(number, " ")
	if strings.Trim(number, "0123456789.") == "" {
		if n, err := strconv.ParseFloat(number, 64); err == nil {
			if rate := n * factor; rate >= 1 && rate <= math.MaxInt64/2 {
				return int64(rate), nil
			}
		}
	}
	return 0, fmt.Errorf("rate %q: bytes a second, as in 100MB/s or 64MiB/s", text)
}
