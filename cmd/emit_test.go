package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/indexview"
)

// interrupting ends a context at the first write.
type interrupting struct {
	bytes.Buffer
	end context.CancelFunc
}

func (w *interrupting) Write(b []byte) (int, error) {
	w.end()
	return w.Buffer.Write(b)
}

// What is written before an interrupt is whole lines.
func TestInterruptedOutputEndsWithALine(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &interrupting{end: cancel}
	var stderr bytes.Buffer
	args := []string{"salvage", "--records", "0-", fixture.Copy(t, "kafka-4.4.0/closed/many-0")}
	if got := Run(ctx, args, Streams{Out: out, Err: &stderr}); got != exitInterrupted || stderr.Len() > 0 {
		t.Fatalf("exit status %d; %s", got, &stderr)
	}
	lines := strings.SplitAfter(out.String(), "\n")
	for _, line := range lines[:len(lines)-1] {
		if !json.Valid([]byte(line)) {
			t.Fatalf("no JSON: %s", line)
		}
	}
	if rest := lines[len(lines)-1]; rest != "" || len(lines) < 100 {
		t.Errorf("%d lines, and %q", len(lines), rest)
	}
}

func TestAgeOfImpossibleTimes(t *testing.T) {
	for ms, want := range map[int64]string{
		90_000:        ", begun 1m30s before the newest record",
		math.MaxInt64: ", begun 9223372036854775807 ms before the newest record",
	} {
		if got := ageText(&ms); got != want {
			t.Errorf("%d: %s", ms, got)
		}
	}
}

// Entries whose timestamps lie further apart than an integer tells are drawn at
// the two ends.
func TestDensityOfImpossibleTimes(t *testing.T) {
	var out bytes.Buffer
	e := newEmitter(&globalOptions{streams: Streams{Out: &out}}, formatText)
	var d density
	d.add(math.MinInt64)
	d.add(math.MaxInt64)
	d.draw(e, painter{}, indexfile.Time, &indexview.File{})
	e.flush()
	cells := strings.Split(out.String(), "\n")[2]
	if cells = strings.TrimSpace(cells); !strings.HasPrefix(cells, "█·") || !strings.HasSuffix(cells, "·█") {
		t.Error(cells)
	}
}
