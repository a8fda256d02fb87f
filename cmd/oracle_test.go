//go:build kafka

package cmd

import (
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/oracle"
)

// dumpParity compares stdout with that of the real tool; where the real one
// throws, up to where it stops.
func dumpParity(t *testing.T, k *oracle.Client, args ...string) {
	t.Helper()
	theirs := k.Dump(args...)
	if theirs.ExitStatus() != 0 {
		t.Fatalf("%v: Kafka exits %d: %v", args, theirs.ExitStatus(), theirs.Exception)
	}
	stdout, stderr, code := run(t, append([]string{"dump"}, args...)...)
	if string(stdout) != theirs.Stdout {
		got, want := firstDifference(stdout, []byte(theirs.Stdout))
		t.Fatalf("%v:\n got %q\nwant %q", args, got, want)
	}
	if code != exitOK || len(stderr) > 0 {
		t.Fatalf("%v: exit %d, stderr %q", args, code, stderr)
	}
}

// Logs that Kafka's own builder makes, and the indexes that its recovery
// builds of them, in every mode of its dump tool.
func TestDumpOfGeneratedIsKafkas(t *testing.T) {
	k := oracle.Open(t)
	for _, profile := range oracle.Profiles {
		for seed := range int64(2) {
			g := k.Generate(filepath.Join(t.TempDir(), "topic-0"), 50+seed, oracle.GenerateOpts{Profile: profile})
			for _, s := range g.Segments {
				log := oracle.SegmentFile(g.Dir, s.Base, ".log")
				for _, mode := range [][]string{
					{}, {"--deep-iteration"}, {"--print-data-log"}, {"--print-data-log", "--skip-record-metadata"},
					{"--skip-record-metadata", "--deep-iteration"}, {"--deep-iteration", "--max-bytes", "700"},
				} {
					dumpParity(t, k, append(mode, "--files", log)...)
				}
				out := t.TempDir()
				rebuilt := k.Recover(g.Dir, s.Base, oracle.RecoverOpts{
					LogOpts: oracle.LogOpts{IndexInterval: oracle.Bytes(200), OutDir: filepath.Join(out, "r")},
				})
				if rebuilt.Failure != nil {
					continue
				}
				for _, suffix := range []string{".index", ".timeindex"} {
					index := oracle.SegmentFile(filepath.Join(out, "r", "topic-0"), s.Base, suffix)
					for _, mode := range [][]string{{}, {"--verify-index-only"}, {"--index-sanity-check"}} {
						dumpParity(t, k, append(mode, "--files", index)...)
					}
				}
			}
		}
	}
}

// Several files in one call, and names as a shell gives them.
func TestDumpOfManyFilesIsKafkas(t *testing.T) {
	k := oracle.Open(t)
	dir := fixture.Copy(t, "kafka-4.4.0/closed/many-0")
	names, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(names) < 3 {
		t.Fatal(names, err)
	}
	dumpParity(t, k, "--files", names[0]+","+names[1]+","+names[2])
	dumpParity(t, k, "--deep-iteration", "--files", dir+"//"+filepath.Base(names[1]))
}
