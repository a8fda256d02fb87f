package cluster_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kafsck/kafsck/internal/cluster"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/sanity"
)

// truth is what the running cluster answered.
type truth struct {
	Topics map[string]truthTopic
	Quorum struct {
		HighWatermark int64 `json:"high_watermark"`
		Leader        int32
		LeaderEpoch   int32 `json:"leader_epoch"`
		Voters        []struct {
			ID  int32
			Dir string
		}
	}
}

type truthTopic struct {
	TopicID    string `json:"topic_id"`
	Config     map[string]string
	Partitions map[string]truthPartition
}

type truthPartition struct {
	Leader   int32
	ISR      []int32
	Replicas []int32
}

// The image is what the live brokers said of the same cluster.
func TestImageIsTheBrokers(t *testing.T) {
	for state, cases := range map[string][]struct{ dir, truth string }{
		"kraft":  {{"clean/n1", "truth-clean.json"}, {"clean/n2", "truth-clean.json"}, {"clean/n3", "truth-clean.json"}},
		"groups": {{"live/d1", "truth-live.json"}, {"after-compaction/d1", "truth-after-compaction.json"}},
		"tiered": {{"d1", "truth.json"}},
	} {
		dir := stateDir(t, state)
		for _, c := range cases {
			t.Run(state+"/"+c.dir, func(t *testing.T) { compareTruth(t, dir, c.dir, c.truth) })
		}
	}
}

// unpacked are the states that a test had need of.
var unpacked = map[string]string{}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range unpacked {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// stateDir unpacks a state once for all tests.
func stateDir(t *testing.T, state string) string {
	t.Helper()
	if unpacked[state] == "" {
		dir, err := os.MkdirTemp("", "kafsck-cluster-")
		if err != nil {
			t.Fatal(err)
		}
		unpacked[state] = dir
		if err := fixture.StateTo(dir, state); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(unpacked[state], state, "a")
}

func compareTruth(t *testing.T, dir, logDir, file string) {
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	var want truth
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	// What came after the brokers were asked is their shutdown.
	result := load(t, filepath.Join(dir, filepath.FromSlash(logDir)), want.Quorum.HighWatermark-1)
	if diff := cmp.Diff(want.Topics, topicsOf(result)); diff != "" {
		t.Errorf("topics (-broker +read):\n%s", diff)
	}
	compareQuorum(t, result, &want)
}

// load expects sound files.
func load(t *testing.T, path string, last int64) *cluster.Result {
	t.Helper()
	result, err := cluster.Load(t.Context(), path, last, func(f sanity.Finding) { t.Errorf("%+v", f) })
	if err != nil || result.Skipped > 0 {
		t.Fatalf("%v, %d skipped", err, result.Skipped)
	}
	return result
}

func topicsOf(r *cluster.Result) map[string]truthTopic {
	out := map[string]truthTopic{}
	for id, topic := range r.Topics {
		tt := truthTopic{TopicID: id.String(), Config: r.Configs[cluster.Resource{Type: "topic", Name: topic.Name}], Partitions: map[string]truthPartition{}}
		if tt.Config == nil {
			tt.Config = map[string]string{}
		}
		for n, p := range topic.Partitions {
			tt.Partitions[strconv.Itoa(int(n))] = truthPartition{p.Leader, slices.Sorted(slices.Values(p.ISR)), p.Replicas}
		}
		out[topic.Name] = tt
	}
	return out
}

func compareQuorum(t *testing.T, r *cluster.Result, want *truth) {
	t.Helper()
	if r.LeaderID != want.Quorum.Leader || r.LeaderEpoch != want.Quorum.LeaderEpoch {
		t.Errorf("leader %d in epoch %d, the quorum says %d in %d", r.LeaderID, r.LeaderEpoch, want.Quorum.Leader, want.Quorum.LeaderEpoch)
	}
	if r.Voters == nil {
		return
	}
	dirs := map[int32]string{}
	for _, v := range want.Quorum.Voters {
		dirs[v.ID] = v.Dir
	}
	for _, v := range r.Voters {
		if dirs[v.ID] != v.DirectoryID.String() {
			t.Errorf("voter %d in %s, the quorum says %s", v.ID, v.DirectoryID, dirs[v.ID])
		}
		delete(dirs, v.ID)
	}
	if len(dirs) > 0 {
		t.Errorf("voters missing: %v", slices.Sorted(maps.Keys(dirs)))
	}
}
