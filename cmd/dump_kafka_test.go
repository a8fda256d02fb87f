package cmd

import (
	"bytes"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// run executes a command line in this process.
func run(t *testing.T, args ...string) (stdout, stderr []byte, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = Run(t.Context(), args, Streams{In: bytes.NewReader(nil), Out: &out, Err: &errOut})
	return out.Bytes(), errOut.Bytes(), code
}

// firstDifference is where two texts part, for a message that can be read.
func firstDifference(got, want []byte) (g, w []byte) {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	start := bytes.LastIndexByte(got[:at], '\n') + 1
	line := func(b []byte) []byte {
		b = b[min(start, len(b)):]
		if end := bytes.IndexByte(b, '\n'); end >= 0 {
			return b[:end]
		}
		return b
	}
	return line(got), line(want)
}

// What Kafka 4.4.0's own tool printed, byte for byte, and nothing on stderr:
// all of these files are sound, whatever Kafka's tool said of some.
func TestDumpIsKafkas(t *testing.T) {
	byCapture := map[string][]fixture.Golden{}
	for g := range fixture.Goldens(t, fixture.ModeBatches, fixture.ModeDeep, fixture.ModeData, fixture.ModeDump, fixture.ModeSanity, fixture.ModeDecoded) {
		if g.Exit == 0 {
			byCapture[g.Capture] = append(byCapture[g.Capture], g)
		}
	}
	cases := 0
	for capture, goldens := range byCapture {
		t.Chdir(fixture.CaptureDir(t, capture))
		for _, g := range goldens {
			cases++
			args := slices.Concat([]string{"dump"}, g.Flags, []string{"--files", g.File})
			stdout, stderr, code := run(t, args...)
			if !bytes.Equal(stdout, g.Stdout) {
				got, want := firstDifference(stdout, g.Stdout)
				t.Errorf("%s:\n got %q\nwant %q", g.Name(), got, want)
			}
			if code != exitOK || len(stderr) > 0 {
				t.Errorf("%s: exit %d, stderr %q", g.Name(), code, stderr)
			}
		}
	}
	if cases < 450 {
		t.Errorf("only %d cases", cases)
	}
}

func TestDumpFlagsAreKafkas(t *testing.T) {
	t.Chdir(fixture.CaptureDir(t, "kafka-4.4.0"))
	cases := 0
	for c := range fixture.FlagCases(t) {
		cases++
		stdout, stderr, code := run(t, append([]string{"dump"}, c.Args...)...)
		if !bytes.Equal(stdout, c.Stdout) {
			got, want := firstDifference(stdout, c.Stdout)
			t.Errorf("%v:\n got %q\nwant %q", c.Args, got, want)
		}
		if code != exitOK || len(stderr) > 0 {
			t.Errorf("%v: exit %d, stderr %q", c.Args, code, stderr)
		}
	}
	if cases < 20 {
		t.Errorf("only %d cases", cases)
	}
}

func TestDumpOfOldLogsIsKafkas(t *testing.T) {
	byVersion := map[string][]fixture.LegacyDump{}
	for d := range fixture.LegacyExpected(t) {
		if d.Tool == "4.4.0" {
			byVersion[d.Version] = append(byVersion[d.Version], d)
		}
	}
	cases := 0
	for version, dumps := range byVersion {
		t.Chdir(fixture.Copy(t, "legacy/"+version+"/closed"))
		for _, d := range dumps {
			cases++
			stdout, stderr, code := run(t, "dump", "--deep-iteration", "--print-data-log", "--files", d.File)
			if !bytes.Equal(stdout, d.Stdout) {
				got, want := firstDifference(stdout, d.Stdout)
				t.Errorf("%s %s:\n got %q\nwant %q", version, d.File, got, want)
			}
			if code != exitOK || len(stderr) > 0 {
				t.Errorf("%s %s: exit %d, stderr %q", version, d.File, code, stderr)
			}
		}
	}
	if cases < 200 {
		t.Errorf("only %d cases", cases)
	}
}
