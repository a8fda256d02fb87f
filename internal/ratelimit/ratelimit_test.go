package ratelimit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"100MB/s": 100e6, "100mb": 100e6, "64MiB/s": 64 << 20, "1.5 GB/s": 15e8, "2GiB": 2 << 30,
		"4096": 4096, "7B/s": 7, "10kB/s": 10000, "10KB/s": 10000, "1KiB/s": 1024, " 3 TiB/s ": 3 << 40, "1TB": 1e12,
	} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("Parse(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "0", "0MB/s", "-1MB/s", "MB/s", "/s", "fast", "1e3MB/s", "0x10", "inf", "nan", "1MBps", "100M B/s",
		"0.4B/s", "99999999999TB/s", "1.2.3MB/s", "100MB/h",
	} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), "100MB/s") {
			t.Errorf("Parse(%q) = %d, %v", text, got, err)
		}
	}
}

// Ten readers together read as many bytes a second as one may.
func TestRateIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, size, readers = 1 << 20, 3 << 20, 10
		l := New(rate)
		data := make([]byte, size)
		start := time.Now()
		var wg sync.WaitGroup
		for range readers {
			wg.Go(func() {
				if n, err := l.ReaderAt(t.Context(), bytes.NewReader(data)).ReadAt(make([]byte, size), 0); n != size || err != nil {
					t.Errorf("%d, %v", n, err)
				}
			})
		}
		wg.Wait()
		took, want := time.Since(start), time.Duration(readers*size/rate)*time.Second
		if took > want || took < want-time.Second {
			t.Errorf("took %v, want %v less one piece", took, want)
		}
	})
}

// Time in which nothing was read isn't made up for.
func TestNoBurstAfterIdleTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(1000)
		time.Sleep(time.Hour)
		start := time.Now()
		for range 3 {
			if err := l.Wait(t.Context(), 1000); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("three seconds' worth began within %v, want 2s", took)
		}
	})
}

// A read that would take an hour ends with its context, and says how far it
// got.
func TestReadEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		data := bytes.Repeat([]byte("kafka"), 4<<20)
		p := make([]byte, len(data))
		start := time.Now()
		n, err := New(8<<10).ReaderAt(ctx, bytes.NewReader(data)).ReadAt(p, 0)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if n < 8<<10 || n > 40<<10 || !bytes.Equal(p[:n], data[:n]) {
			t.Errorf("%d bytes", n)
		}
	})
}

// Like any other io.ReaderAt: at the end, behind it, in the middle.
func TestReaderAtKeepsTheContract(t *testing.T) {
	data := make([]byte, 3*minPiece+17)
	for i := range data {
		data[i] = byte(i * 7)
	}
	r := New(1<<40).ReaderAt(t.Context(), bytes.NewReader(data))
	if err := iotest.TestReader(io.NewSectionReader(r, 0, int64(len(data))), data); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		at, size, want int
		err            error
	}{
		{0, len(data), len(data), nil}, {5, 10000, 10000, nil}, {len(data) - 3, 10, 3, io.EOF},
		{len(data), 1, 0, io.EOF}, {3, 0, 0, nil}, {0, len(data) + 1, len(data), io.EOF},
	} {
		p := make([]byte, c.size)
		n, err := r.ReadAt(p, int64(c.at))
		if n != c.want || err != c.err || !bytes.Equal(p[:n], data[c.at:c.at+n]) {
			t.Errorf("ReadAt(%d bytes, %d) = %d, %v, want %d, %v", c.size, c.at, n, err, c.want, c.err)
		}
	}
}

func TestNoLimit(t *testing.T) {
	for _, rate := range []int64{0, -5} {
		l := New(rate)
		r := bytes.NewReader([]byte("x"))
		if l != nil || l.ReaderAt(t.Context(), r) != Until(t.Context(), r) || l.Wait(t.Context(), 1<<30) != nil {
			t.Errorf("a rate of %d limits", rate)
		}
	}
}

// Reading ends with the context, also where nothing limits it.
func TestUntil(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := Until(ctx, bytes.NewReader([]byte("xyz")))
	p := make([]byte, 2)
	if n, err := r.ReadAt(p, 1); n != 2 || err != nil || string(p) != "yz" {
		t.Errorf("%d, %v, %q", n, err, p)
	}
	if n, err := r.ReadAt(p, 2); n != 1 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
	cancel()
	if n, err := r.ReadAt(p, 0); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

// Absurd rates and sizes neither overflow nor hang.
func TestExtremes(t *testing.T) {
	for _, rate := range []int64{1, 1 << 62} {
		l := New(rate)
		ctx, cancel := context.WithCancel(t.Context())
		for range 4 {
			go func() { _ = l.Wait(ctx, 1<<62) }()
		}
		cancel()
		if d := l.duration(1 << 62); d <= 0 || d > 24*time.Hour {
			t.Errorf("rate %d: %v", rate, d)
		}
	}
}
