package cmd

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

const progressInterval = 200 * time.Millisecond

// progress is a bar on stderr for long work, or nothing.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress begins a bar over so many bytes, where --progress asks for one:
// auto is a terminal, and enough work to be worth it.
func newProgress(global *globalOptions, what string, total int64) *progress {
	const worthIt = 64 << 20
	show := global.progress == "always" ||
		global.progress == "auto" && isTerminal(global.streams.Err) && total >= worthIt
	if !show || global.quiet {
		return &progress{}
	}
	return &progress{progressbar.NewOptions64(max(total, 1),
		progressbar.OptionSetWriter(global.streams.Err),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(progressInterval),
	)}
}

// add says that n more bytes are done. Several goroutines may call it.
func (p *progress) add(n int64) {
	if p.bar != nil {
		_ = p.bar.Add64(n)
	}
}

// close takes the bar away.
func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
