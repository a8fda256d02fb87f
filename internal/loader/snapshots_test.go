package loader

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The list is a map that keeps its order.
func TestSnapshotsAreAMapInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	list, want := new(snapshots), map[int64]string{}
	offsets := func(keep func(int64) bool) (all []snapshot) {
		for _, offset := range slices.Sorted(maps.Keys(want)) {
			if keep(offset) {
				all = append(all, snapshot{offset, want[offset]})
			}
		}
		return all
	}
	for step := range 20000 {
		offset := random.Int64N(200) - 5
		if random.IntN(1000) < 480+step/100 { // fuller first, emptier at the end
			list.remove(offset)
			delete(want, offset)
		} else {
			name := fileName(offset, extSnapshot)
			list.put(offset, name)
			want[offset] = name
		}
		if step%50 == 0 {
			list = list.clone()
		}
		all := offsets(func(int64) bool { return true })
		newest, found := list.newest()
		if list.len() != len(want) || list.at(offset) != want[offset] || !slices.Equal(list.all(), all) ||
			found != (len(all) > 0) || found && newest != all[len(all)-1] {
			t.Fatalf("step %d: %v, want %v", step, list.all(), all)
		}
		up, above := offsets(func(o int64) bool { return o <= offset }), offsets(func(o int64) bool { return o > offset })
		if !slices.Equal(list.upTo(offset), up) || !slices.Equal(list.above(offset), above) {
			t.Fatalf("step %d: up to %d %v, above %v", step, offset, list.upTo(offset), list.above(offset))
		}
	}
}
