package txnstate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/txnstate"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
	"github.com/kafsck/kafsck/sanity"
)

type listing struct {
	ProducerID      int64 `json:"producer_id"`
	State           string
	TransactionalID string `json:"transactional_id"`
}

func load(t *testing.T, path string, last int64) *txnstate.Result {
	t.Helper()
	result, err := txnstate.Load(t.Context(), path, last, func(f sanity.Finding) { t.Errorf("%+v", f) })
	if err != nil || result.Skipped > 0 {
		t.Fatalf("%v, %d skipped", err, result.Skipped)
	}
	return result
}

// What the live brokers listed.
func TestStatesAreTheBrokers(t *testing.T) {
	for state, cases := range map[string][][2]string{
		"groups": {{"live/d1", "truth-live.json"}, {"after-compaction/d1", "truth-after-compaction.json"}},
		"tiered": {{"d1", "truth.json"}},
	} {
		dir := filepath.Join(fixture.State(t, state), "a")
		for _, c := range cases {
			b, err := os.ReadFile(filepath.Join(dir, c[1]))
			if err != nil {
				t.Fatal(err)
			}
			var want struct{ Transactions []listing }
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			var got []listing
			for _, s := range load(t, filepath.Join(dir, filepath.FromSlash(c[0])), topiclog.All).States {
				got = append(got, listing{s.ProducerID, s.State, s.ID})
			}
			if diff := cmp.Diff(want.Transactions, got); diff != "" || len(got) == 0 {
				t.Errorf("%s (-broker +read):\n%s", c[0], diff)
			}
		}
	}
}

// value is a TransactionLogValue of version 0 without partitions.
func record(id string, state byte, start byte) batchtest.Record {
	v := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x01\x00\x00\x00\x64" + string([]byte{state}) + "\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x05" + "\x00\x00\x00\x00\x00\x00\x00" + string([]byte{start})
	return batchtest.KV("\x00\x00\x00"+string([]byte{byte(len(id))})+id, v)
}

func TestPending(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "__transaction_state-3")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	gone := record("gone", 1, 1)
	gone.Value = nil
	log := batchtest.NewBatch(0, 200, record("old", 1, 10), record("gone", 1, 1), record("done", 4, 20), record("new", 2, 120), gone).Encode()
	if err := os.WriteFile(filepath.Join(dir, "00000000000000000000.log"), log, 0o644); err != nil {
		t.Fatal(err)
	}
	type seen struct {
		ID, State        string
		PendingMs        int64
		Pending, Expired bool
	}
	states := func(last int64) (out []seen) {
		for _, s := range load(t, dir, last).States {
			out = append(out, seen{s.ID, s.State, s.PendingMs, s.Pending(), s.Expired()})
		}
		return out
	}
	want := []seen{
		{"done", "CompleteCommit", -1, false, false},
		{"new", "PrepareCommit", 80, true, false},
		{"old", "Ongoing", 190, true, true},
	}
	if diff := cmp.Diff(want, states(topiclog.All)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]seen{{"old", "Ongoing", 190, true, true}}, states(0)); diff != "" {
		t.Error(diff)
	}
}
