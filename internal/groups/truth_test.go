package groups_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/groups"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/sanity"
)

// truth is what the running broker answered about its groups.
type truth struct {
	Groups map[string]struct {
		Type, State, Protocol string
		Offsets               brokerOffsets
		Members               []brokerMember
	}
}

type brokerMember struct {
	MemberID    string  `json:"member_id"`
	InstanceID  *string `json:"instance_id"`
	ClientID    string  `json:"client_id"`
	MemberEpoch int32   `json:"member_epoch"`
	Assignment  []string
}

// Groups of every kind, as the coordinator of the live cluster described them.
func TestGroupsAreTheBrokers(t *testing.T) {
	dir := filepath.Join(fixture.State(t, "groups"), "a")
	for _, stage := range []string{"live", "before-compaction", "after-compaction"} {
		t.Run(stage, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(dir, "truth-"+stage+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want truth
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			result, err := groups.Load(t.Context(), filepath.Join(dir, stage, "d1"), topiclog.All, func(f sanity.Finding) { t.Errorf("%+v", f) })
			if err != nil || result.Skipped > 0 {
				t.Fatalf("%v, %d skipped", err, result.Skipped)
			}
			compare(t, stage, result.Groups, &want)
		})
	}
}

func compare(t *testing.T, stage string, got []groups.Group, want *truth) {
	t.Helper()
	names := []string{}
	for _, g := range got {
		names = append(names, g.Name)
		w, ok := want.Groups[g.Name]
		if !ok {
			continue
		}
		// A rebalance that is under way is in the broker's memory alone.
		if string(g.Type) != w.Type || g.State != w.State && w.State != "PreparingRebalance" {
			t.Errorf("%s is %s, %s; the broker says %s, %s", g.Name, g.Type, g.State, w.Type, w.State)
		}
		compareOffsets(t, stage, g, w.Offsets)
		if w.State != "PreparingRebalance" && w.Members != nil {
			compareMembers(t, g, w.Members)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want.Groups)), names); diff != "" {
		t.Errorf("groups (-broker +read):\n%s", diff)
	}
}

type brokerOffsets = map[string]*struct {
	Offset      int64
	LeaderEpoch int32 `json:"leader_epoch"`
	Metadata    string
	StartOffset *int64 `json:"start_offset"`
}

func compareOffsets(t *testing.T, stage string, g groups.Group, want brokerOffsets) {
	t.Helper()
	got := map[string]groups.Offset{}
	for _, o := range g.Offsets {
		if !o.Pending {
			got[fmt.Sprintf("%s-%d", o.Topic, o.Partition)] = o
		}
	}
	shares := map[string]groups.ShareOffset{}
	for _, o := range g.ShareOffsets {
		shares[fmt.Sprintf("%s-%d", o.Topic, o.Partition)] = o
	}
	for name, w := range want {
		if g.Type == groups.Share {
			o, ok := shares[name]
			if w != nil && (!ok || o.StartOffset != *w.StartOffset) {
				t.Errorf("%s, %s: %+v; the broker says %d", g.Name, name, o, *w.StartOffset)
			}
			continue
		}
		o, ok := got[name]
		delete(got, name)
		switch {
		case !ok:
			t.Errorf("%s has no offset of %s; the broker says %d", g.Name, name, w.Offset)
		case stage == "live" && o.Offset > w.Offset: // the broker was asked earlier
		case o.Offset != w.Offset || o.Metadata != w.Metadata || o.LeaderEpoch != w.LeaderEpoch:
			t.Errorf("%s, %s: %+v; the broker says %+v", g.Name, name, o, w)
		}
	}
	for name, o := range got {
		t.Errorf("%s has an offset of %s that the broker doesn't know: %+v", g.Name, name, o)
	}
}

func compareMembers(t *testing.T, g groups.Group, want []brokerMember) {
	t.Helper()
	got := []brokerMember{}
	for _, m := range g.Members {
		b := brokerMember{m.ID, m.InstanceID, m.ClientID, m.Epoch, []string{}}
		for _, tp := range m.Assigned {
			for _, p := range tp.Partitions {
				b.Assignment = append(b.Assignment, fmt.Sprintf("%s-%d", tp.Topic, p))
			}
		}
		slices.Sort(b.Assignment)
		got = append(got, b)
	}
	byID := func(a, b brokerMember) int { return strings.Compare(a.MemberID, b.MemberID) }
	slices.SortFunc(want, byID)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-broker +read):\n%s", g.Name, diff)
	}
}
