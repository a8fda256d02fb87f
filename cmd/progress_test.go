package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// screen is as much of a terminal as the bar and the data need: characters,
// line ends and carriage returns. Anything else fails the test.
type screen struct {
	t      *testing.T
	mu     sync.Mutex
	lines  [][]rune
	column int
	drawn  []string // the last line at each carriage return
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) == 0 {
		s.lines = [][]rune{nil}
	}
	for rest := b; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		last := &s.lines[len(s.lines)-1]
		switch {
		case r == '\n':
			s.lines = append(s.lines, nil)
			s.column = 0
		case r == '\r':
			if line := strings.TrimRight(string(*last), " "); line != "" {
				s.drawn = append(s.drawn, line)
			}
			s.column = 0
		case r < ' ' || r == 0x7f || r == utf8.RuneError:
			s.t.Errorf("%q reached the terminal", r)
		default:
			for len(*last) <= s.column {
				*last = append(*last, ' ')
			}
			(*last)[s.column] = r
			s.column++
		}
	}
	return len(b), nil
}

// text is what stands on the screen, without the spaces at line ends.
func (s *screen) text() string {
	var lines []string
	for _, l := range s.lines {
		lines = append(lines, strings.TrimRight(string(l), " "))
	}
	return strings.Join(lines, "\n")
}

// Data, notes and the bar share a terminal, from several goroutines: what is
// left in the end is the data and the notes, whole and in order.
func TestProgressLeavesDataAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{t: t}
		global := &globalOptions{streams: Streams{Out: s, Err: s}, progress: "always"}
		p, err := global.startProgress(func() int64 { return 1000 })
		if err != nil {
			t.Fatal(err)
		}
		// The screen is no terminal to isTerminal, so stdout is guarded here.
		out, notes := io.Writer(&guardedWriter{p, s}), global.streams.Err
		var want strings.Builder
		for i := range 100 {
			time.Sleep(70 * time.Millisecond)
			p.read(10)
			line := fmt.Sprintf("baseOffset: %d käse\n", i)
			want.WriteString(line)
			if i%3 == 0 {
				// Half of a line now, half of it when a bar would have been due.
				_, _ = io.WriteString(out, line[:7])
				time.Sleep(3 * progressInterval)
				line = line[7:]
			}
			_, _ = io.WriteString(out, line)
			if i%10 == 0 {
				p.found()
				want.WriteString("kafsck: note\n")
				_, _ = io.WriteString(notes, "kafsck: note\n")
			}
		}
		time.Sleep(2 * progressInterval)
		p.finish()
		p.finish() // twice is as good as once
		if got := s.text(); got != want.String() {
			t.Errorf("on the screen:\n%s", got)
		}
		last := s.drawn[len(s.drawn)-1]
		for _, part := range []string{"10 findings", "99%", "kB", "B/s", "["} {
			if !strings.Contains(last, part) {
				t.Errorf("the bar %q doesn't show %q", last, part)
			}
		}
	})
}

// The library ends a bar that is full; the work may not be over by then.
func TestProgressBeyondItsTotal(t *testing.T) {
	for _, total := range []int64{1, 1000, 0} {
		synctest.Test(t, func(t *testing.T) {
			s := &screen{t: t}
			p, err := (&globalOptions{streams: Streams{Err: s}, progress: "always"}).startProgress(func() int64 { return total })
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				p.read(5000)
				time.Sleep(progressInterval)
			}
			p.finish()
			if len(s.drawn) < 5 && total != 1 {
				t.Errorf("total %d: drawn %d times", total, len(s.drawn))
			}
			if got := s.text(); got != "" {
				t.Errorf("total %d: left behind: %q", total, got)
			}
		})
	}
}

func TestWantsProgress(t *testing.T) {
	for _, c := range []struct {
		progress     string
		quiet, wants bool
	}{
		{"auto", false, false}, {"always", false, true}, {"never", false, false},
		{"auto", true, false}, {"always", true, false}, {"never", true, false},
	} {
		g := &globalOptions{streams: Streams{Err: &bytes.Buffer{}}, progress: c.progress, quiet: c.quiet}
		if wants, err := g.wantsProgress(); wants != c.wants || err != nil {
			t.Errorf("%s, quiet %v, no terminal: %v, %v", c.progress, c.quiet, wants, err)
		}
	}
	g := &globalOptions{streams: Streams{Err: &bytes.Buffer{}}, progress: "sometimes"}
	if _, err := g.startProgress(nil); err == nil {
		t.Error("--progress sometimes is accepted")
	}
}

// Where no bar is wanted, nothing stands between the command and its streams.
func TestNoProgress(t *testing.T) {
	g := &globalOptions{streams: Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, progress: "auto"}
	before := g.streams
	p, err := g.startProgress(nil)
	if p != nil || err != nil {
		t.Fatalf("%v, %v", p, err)
	}
	p.read(1)
	p.found()
	p.finish()
	r := bytes.NewReader([]byte("x"))
	if g.streams != before || p.reader(r) != io.ReaderAt(r) {
		t.Error("something is in between")
	}
}

func TestProgressCountsReads(t *testing.T) {
	p := newProgress(io.Discard, 10)
	r := p.reader(bytes.NewReader([]byte("0123456789")))
	_, _ = r.ReadAt(make([]byte, 4), 0)
	_, _ = r.ReadAt(make([]byte, 4), 8)
	if n := p.bytes.Load(); n != 6 {
		t.Errorf("counted %d bytes", n)
	}
}
