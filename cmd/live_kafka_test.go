//go:build kafka && unix

package cmd

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/oracle"
)

// fresh stands for the path of a new file or directory.
const fresh = "FRESH"

// Commands that read, beside a broker that writes, rolls, cleans and deletes: no
// damage is found, and nothing fails, in whatever state a file is met.
func TestCommandsBesideABrokerThatWrites(t *testing.T) {
	k := oracle.Open(t)
	root := t.TempDir()
	broker := k.BrokerUp(root, oracle.BusyOpts())
	stop := broker.Busy()
	defer stop()
	at := func(name string) string { return filepath.Join(root, name) }
	commands := [][]string{
		{"dump", at("plain-0")}, {"dump", "--print-data-log", "--format", "json", at("preallocated-0")},
		{"dump", "--deep-iteration", at("transactions-1")}, {"dump", at("compacted-0")}, {"dump", at("__cluster_metadata-0")},
		{"index", at("plain-1")}, {"index", at("preallocated-0")}, {"index", at("transactions-0")},
		{"lookup", at("plain-1"), "--offset", "20", "--verify"}, {"lookup", at("preallocated-0"), "--offset", "7", "--verify"},
		{"lookup", at("transactions-0"), "--timestamp", "5"}, {"rebuild-index", at("plain-2")},
		{"transactions", root}, {"transactions", "-f", "json", at("transactions-0")}, {"cluster", root},
		{"dump", at("short-0")}, {"dump", root}, {"index", at("compacted-1")}, {"index", at("short-1")},
		{"index", "--simulate", "4096", at("short-0")}, {"rebuild-index", at("preallocated-0")}, {"rebuild-index", "--all", root},
		{"lookup", at("compacted-0"), "--offset", "30", "--verify"}, {"lookup", at("short-0"), "--timestamp", "5", "--verify"},
		{"groups", root}, {"transactions", "--coordinator", root}, {"recovery", at("plain-0")},
		{"salvage", at("preallocated-0"), "--records", "0-20"}, {"salvage", at("short-0"), "--out-dir", fresh},
		{"salvage", at("__consumer_offsets-0"), "--out-dir", fresh}, {"report", root, "--out", fresh},
		{"compare", at("plain-1"), at("plain-1")}, {"compare", at("preallocated-0"), at("preallocated-0")},
		{"dump", "--from-offset", "30", "--limit", "9", at("compacted-0")}, {"index", "--html", fresh, at("plain-0")},
		{"lookup", "--html", fresh, "--offset", "40", at("preallocated-0")}, {"recovery", root},
	}
	others := t.TempDir()
	ran, done := 0, map[int]int{}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); ran++ {
		args := slices.Clone(commands[ran%len(commands)])
		if i := slices.Index(args, fresh); i >= 0 {
			args[i] = filepath.Join(others, strconv.Itoa(ran))
		}
		stdout, stderr, code := run(t, args...)
		done[code]++
		switch {
		case code == exitOK, code == exitNotFound && args[0] == "lookup":
		case code == exitDamage && args[0] == "compare" && !bytes.Contains(stdout, []byte("different: ")) && !bytes.Contains(stdout, []byte("damaged")):
			// One of the two was opened later.
		case code == exitDamage && args[0] == "recovery":
			// A crash right now loses what is half written.
		default:
			t.Errorf("%s: exit %d", strings.Join(args, " "), code)
			for line := range bytes.Lines(stderr) {
				if !bytes.HasPrefix(line, []byte("kafsck: note: ")) {
					t.Logf("%s", line)
				}
			}
		}
	}
	if ran < len(commands) {
		t.Errorf("%d commands were run, too few to show anything", ran)
	}
	t.Log(ran, "commands, by exit code:", done)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && logdir.ParseName(d.Name()).Kind == logdir.KindUnknown {
			t.Errorf("%s is no broker's", path)
		}
		return nil // what goes meanwhile is the broker's
	})
	if err != nil {
		t.Error(err)
	}
}
