package cmd

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"syscall"
	"time"

	"github.com/kafsck/kafsck/internal/dump"
	"github.com/kafsck/kafsck/internal/logdir"
)

// The output formats that every command has; sanity-check adds its own.
const (
	formatText  = "text"
	formatTable = "table"
	formatJSON  = "json"
)

// textTableJSON is the value of --format where it is one of the common three.
func (g *globalOptions) textTableJSON() (string, error) {
	switch g.format {
	case formatText, formatTable, formatJSON:
		return g.format, nil
	}
	return "", usageErrorf("--format %q: text, table or json", g.format)
}

// parseTimeFlag reads a time as epoch milliseconds or RFC 3339; an empty one
// is fallback.
func parseTimeFlag(flag, value string, fallback int64) (int64, error) {
	if value == "" {
		return fallback, nil
	}
	if ms, err := strconv.ParseInt(value, 10, 64); err == nil {
		return ms, nil
	}
	t, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return 0, usageErrorf("--%s %q: epoch milliseconds, or RFC 3339 as in 2026-01-31T09:00:00Z", flag, value)
	}
	return t.UnixMilli(), nil
}

// complain writes one line about something that could not be done, or one for
// each of several. What comes from names and files is quoted.
func complain(w io.Writer, err error) {
	if parts := joinedParts(err); parts != nil {
		for _, part := range parts {
			complain(w, part)
		}
		return
	}
	_, _ = fmt.Fprintf(w, "kafsck: %s\n", dump.AppendQuoted(nil, err.Error()))
}

// tell says on stderr that something could not be done. That is no failure, and
// worth a note alone, where a running broker has taken away what was listed.
func (g *globalOptions) tell(err error) (failed bool) {
	if parts := joinedParts(err); parts != nil {
		for _, part := range parts {
			failed = g.tell(part) || failed
		}
		return failed
	}
	if _, gone := errors.AsType[*logdir.GoneError](err); !gone {
		complain(g.streams.Err, err)
		return true
	}
	if !g.quiet {
		complain(g.streams.Err, fmt.Errorf("note: %w", err))
	}
	return false
}

// joinedParts is what errors.Join put together, nil for any other error, also
// for one that wraps several and says more than they do.
func joinedParts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return nil
	}
	return joined.Unwrap()
}

// isBrokenPipe says whether the reader of our output went away.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
