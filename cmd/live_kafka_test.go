//go:build kafka && unix

package cmd

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/oracle"
)

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
		{"salvage", at("preallocated-0"), "--records", "0-20"},
	}
	ran, done := 0, map[int]int{}
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); ran++ {
		args := commands[ran%len(commands)]
		_, stderr, code := run(t, args...)
		done[code]++
		if code != exitOK && (code != exitNotFound || args[0] != "lookup") {
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
