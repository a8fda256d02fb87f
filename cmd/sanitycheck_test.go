package cmd

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/fixture"
)

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
