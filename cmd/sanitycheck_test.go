package cmd

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/triage"
	"github.com/kafsck/kafsck/sanity"
)

// What was found in a partition that an interrupt left unfinished is shown.
func TestSanityCheckShowsWhatAnInterruptLeft(t *testing.T) {
	f := sanity.At(sanity.BatchCRCMismatch, "data/orders-3/00000000000000000000.log")
	f.Position, f.Message = 4321, "stored 1, computed 2"
	for _, format := range []string{formatText, formatTable, formatJSON, formatHTML, formatJUnit, formatSARIF, formatGitHub} {
		var out bytes.Buffer
		rules := triage.Rules{FailOn: sanity.Error}
		r := newSanityRenderer(&globalOptions{format: format, streams: Streams{Out: &out}}, &rules, new(triage.Tally), []string{"data"})
		if err := r.finding(&f); err != nil {
			t.Fatal(err)
		}
		if err := r.end(&sanity.Summary{Paths: 1, Files: 1, Errors: 1}, exitInterrupted); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), string(f.Code)) || !strings.Contains(out.String(), "orders-3") {
			t.Errorf("%s: the finding is missing:\n%s", format, &out)
		}
	}
}

// An interrupt ends a check that would take hours within a second, with the
// summary of what was checked, in every format a whole document.
func TestSanityCheckInterrupted(t *testing.T) {
	dir := fixture.CaptureDir(t, "kafka-4.4.0") + "/closed"
	for format, end := range map[string]string{
		"json":   `"exit":130}` + "\n",
		"text":   " records\n",
		"table":  " records\n",
		"junit":  "</testsuites>\n",
		"sarif":  "}]}\n",
		"github": ": interrupted: not everything was checked\n",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, cancel)
		var out, errOut bytes.Buffer
		start := time.Now()
		code := Run(ctx, []string{"sanity-check", "--rate-limit", "1kB/s", "--progress", "always", "--format", format, dir},
			Streams{Out: &out, Err: &errOut})
		if took := time.Since(start); code != exitInterrupted || took > 3*time.Second {
			t.Errorf("%s: exit %d after %v", format, code, took)
		}
		if !strings.HasSuffix(out.String(), end) {
			t.Errorf("%s: ends with %q, want %q", format, out.String()[max(0, out.Len()-200):], end)
		}
	}
}
