//go:build kafka && unix

package cmd

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/oracle"
)

// Commands that read, beside a broker that writes: no damage is found, also in
// a preallocated segment and in the middle of a write. What can't be done is
// what the broker took away or changed meanwhile.
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
		{"transactions", root}, {"transactions", at("transactions-0")}, {"cluster", root},
	}
	ran, done := 0, map[int]int{}
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); ran++ {
		args := commands[ran%len(commands)]
		_, stderr, code := run(t, args...)
		if code == exitDamage {
			// A segment may be rolled, and its zeros cut off, between the
			// reading and the look at what is the newest one.
			time.Sleep(100 * time.Millisecond)
			_, stderr, code = run(t, args...)
		}
		gone := bytes.Contains(stderr, []byte("no such file or directory")) ||
			bytes.Contains(stderr, []byte("changed while it was read")) || bytes.Contains(stderr, []byte("unexpected EOF"))
		switch {
		case code == exitOK, code == exitFailed && gone, code == exitNotFound && args[0] == "lookup":
			done[code]++
		default:
			t.Errorf("%s: exit %d\n%s", strings.Join(args, " "), code, stderr[:min(len(stderr), 600)])
		}
	}
	if done[exitOK] < len(commands) {
		t.Errorf("%d commands went through, too few to show anything", done[exitOK])
	}
	t.Log(ran, "commands, by exit code:", done)
}
