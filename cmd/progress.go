package cmd

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/kafsck/kafsck/internal/readonly"
)

// progressInterval is how often the bar is drawn: often enough to be seen to
// live, too seldom to cost anything.
const progressInterval = 200 * time.Millisecond

// progress draws a bar on stderr: bytes, rate, time left, findings so far. A
// nil progress draws nothing; all methods take it.
//
// Only its own goroutine draws, and only while no data is being written and no
// line of data is unfinished on the screen, so that data on the same terminal
// is never garbled: see streams.
type progress struct {
	bar             *progressbar.ProgressBar
	max             int64
	bytes, findings atomic.Int64

	mu       sync.Mutex // held while anything is written to the terminal
	onScreen bool       // the bar is
	unended  bool       // a line of data is, without its end

	stop chan struct{}
	done chan struct{}
}

// wantsProgress says whether a bar is to be drawn.
func (g *globalOptions) wantsProgress() (bool, error) {
	switch g.progress {
	case "auto":
		return !g.quiet && isTerminal(g.streams.Err), nil
	case "always":
		return !g.quiet, nil
	case "never":
		return false, nil
	}
	return false, usageErrorf("--progress %q: auto, always or never", g.progress)
}

// startProgress starts a bar for as many bytes to read as total says, which is
// asked only if there is to be a bar; 0 is an unknown number. From then on the
// streams of the run take the bar away for what is written to them. Call
// finish when the work is done, whatever became of it.
func (g *globalOptions) startProgress(total func() int64) (*progress, error) {
	wanted, err := g.wantsProgress()
	if err != nil || !wanted {
		return nil, err
	}
	p := newProgress(g.streams.Err, total())
	g.streams = p.guard(g.streams)
	go p.run()
	return p, nil
}

func newProgress(w io.Writer, total int64) *progress {
	size := total
	if size <= 0 {
		size = -1
	}
	p := &progress{
		max: total, stop: make(chan struct{}), done: make(chan struct{}),
		bar: progressbar.NewOptions64(size,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(24),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(total > 0),
			// A new description alone is no reason to draw again.
			progressbar.OptionThrottle(progressInterval/2),
			progressbar.OptionSetRenderBlankState(false),
			progressbar.OptionSetElapsedTime(true),
			// Of an unknown length the library would draw from a goroutine of its own.
			progressbar.OptionSetSpinnerChangeInterval(0),
		),
	}
	// Else the library counts the time from when it draws first.
	p.bar.StartWithoutRender()
	return p
}

// read says that n more bytes were read. It may be called from any goroutine.
func (p *progress) read(n int64) {
	if p != nil {
		p.bytes.Add(n)
	}
}

// found says that there is one more finding.
func (p *progress) found() {
	if p != nil {
		p.findings.Add(1)
	}
}

func (p *progress) run() {
	defer close(p.done)
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.draw()
		}
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	bytes := p.bytes.Load()
	if p.max > 0 {
		// The library takes the end for the end of the work, and draws no more.
		bytes = min(bytes, p.max-1)
	}
	if p.unended || bytes <= 0 {
		return
	}
	// A bar that can't be drawn is no reason to stop working.
	_ = p.bar.Set64(bytes)
	p.bar.Describe(findingsSoFar(p.findings.Load()))
	p.onScreen = true
}

// findingsSoFar says nothing until there is something to say.
func findingsSoFar(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 finding"
	}
	return fmt.Sprintf("%d findings", n)
}

// finish stops the bar and takes it off the screen.
func (p *progress) finish() {
	if p == nil {
		return
	}
	p.mu.Lock()
	stopped := false
	select {
	case <-p.stop:
		stopped = true
	default:
		close(p.stop)
	}
	p.mu.Unlock()
	if stopped {
		return
	}
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// clear takes the bar off the screen; p.mu is held.
func (p *progress) clear() {
	if p.onScreen {
		_ = p.bar.Clear()
		p.onScreen = false
	}
}

// guard returns the streams to write to while the bar may be drawn. What goes
// to the terminal takes the bar away first; stdout is left alone where it is
// none.
func (p *progress) guard(s Streams) Streams {
	if isTerminal(s.Out) {
		s.Out = &guardedWriter{p, s.Out}
	}
	s.Err = &guardedWriter{p, s.Err}
	return s
}

// guardedWriter writes to a terminal that a bar is drawn on as well.
type guardedWriter struct {
	p *progress
	w io.Writer
}

func (g *guardedWriter) Write(b []byte) (int, error) {
	g.p.mu.Lock()
	defer g.p.mu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	g.p.clear()
	g.p.unended = b[len(b)-1] != '\n'
	return g.w.Write(b)
}

// reader counts what is read from r.
func (p *progress) reader(r io.ReaderAt) io.ReaderAt {
	if p == nil {
		return r
	}
	return &countingReader{p, r}
}

type countingReader struct {
	p *progress
	r io.ReaderAt
}

func (c *countingReader) ReadAt(b []byte, position int64) (int, error) {
	n, err := c.r.ReadAt(b, position)
	c.p.read(int64(n))
	return n, err
}

// NextData counts holes as read.
func (c *countingReader) NextData(position int64) (int64, error) {
	next, err := readonly.NextData(c.r, position)
	c.p.read(next - position)
	return next, err
}
