//go:build kafka && unix

package sanity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/oracle"
)

// A real broker takes all kinds of writes, rolls, cleans, deletes and moves
// log starts, while its log directory is checked again and again: nothing
// above info may be said. The same holds when it was stopped, and when it was
// killed in between.
func TestBrokerThatWritesIsSound(t *testing.T) {
	k := oracle.Open(t)
	root := t.TempDir()
	opts := oracle.BusyOpts()
	broker := k.BrokerUp(root, opts)
	stop := broker.Busy()
	defer stop()
	var total Summary
	rounds := 0
	for deadline := time.Now().Add(liveTime); time.Now().Before(deadline) && !t.Failed(); rounds++ {
		total.Add(soundDir(t, root, fmt.Sprintf("round %d", rounds), ""))
	}
	broker.Kill()
	stop()
	// Nobody cut the zeros off: recovery is going to.
	killed := soundDir(t, root, "killed", LogZeroTail)
	opts.Format, opts.Create = false, nil
	again := k.BrokerUp(root, opts)
	soundDir(t, root, "recovered", "")
	if exit := again.Stop(); exit != 143 {
		t.Errorf("the broker stopped with exit status %d", exit)
	}
	soundDir(t, root, "stopped", "")
	if total.Records < 1000 || rounds < 3 {
		t.Errorf("%d rounds, %d records: too few to show anything", rounds, total.Records)
	}
	t.Logf("%d rounds, %d bytes and %d records checked; %d records at last", rounds, total.Bytes, total.Records, killed.Records)
}

const liveTime = 20 * time.Second

// soundDir checks a log directory and accepts nothing above info but warnings
// of one code on preallocated segments. What a second check doesn't find again
// was under way, on a machine too busy for the patience of the first.
func soundDir(t *testing.T, root, when string, but Code) Summary {
	t.Helper()
	s, first := alarmsOf(t, root, but)
	if len(first) == 0 {
		return s
	}
	s, again := alarmsOf(t, root, but)
	for id, finding := range first {
		if again[id] != "" {
			t.Errorf("%s: %s", when, finding)
		} else {
			t.Logf("%s: gone in a second check: %s", when, finding)
		}
	}
	return s
}

// alarmsOf are the findings above info, by code and file.
func alarmsOf(t *testing.T, root string, but Code) (Summary, map[string]string) {
	t.Helper()
	alarms := map[string]string{}
	s, err := Check(t.Context(), resolve(t, root), Options{Workers: 2}, func(f *Finding) error {
		if f.Severity > Info && (f.Severity != Warning || f.Code != but || !strings.Contains(f.File, "preallocated-0")) {
			alarms[string(f.Code)+" "+f.File] = string(f.AppendJSON(nil))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, alarms
}
