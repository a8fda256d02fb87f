package salvage

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// twoReplicas writes a partition twice, each copy with its own damage.
func twoReplicas(t *testing.T, damage func(replica int, s *batchtest.Segment) []byte) (p *batchtest.Partition, dirs [2]string) {
	t.Helper()
	p = batchtest.GeneratePartition(7, batchtest.Transactional(), 3)
	p.Topic, p.TopicID = "t", [16]byte{1}
	for replica := range dirs {
		p.Files = map[string][]byte{}
		for _, s := range p.Segments {
			if data := damage(replica, s); data != nil {
				p.Files[batchtest.FileName(s.Layout.BaseOffset, ".log")] = data
			}
		}
		var err error
		if dirs[replica], err = p.Write(t.TempDir()); err != nil {
			t.Fatal(err)
		}
		fixture.RequireUnchanged(t, dirs[replica])
	}
	return p, dirs
}

// Two replicas that are damaged at different places make the whole log again.
func TestDisjointDamageMerges(t *testing.T) {
	p, dirs := twoReplicas(t, func(replica int, s *batchtest.Segment) []byte {
		data := bytes.Clone(s.Data)
		n := 0
		for i := range s.Layout.Batches {
			if b := &s.Layout.Batches[i]; i%3 == replica {
				data[b.End()-1] ^= 1
				n++
			}
		}
		if n < 3 {
			t.Fatal("too few batches to damage")
		}
		return data
	})
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		r := salvage(t, Request{Paths: []string{dirs[order[0]]}, From: []string{dirs[order[1]]}}, DefaultOptions())
		for _, s := range p.Segments {
			got, err := os.ReadFile(filepath.Join(r.dir, batchtest.FileName(s.Layout.BaseOffset, ".log")))
			if err != nil || !bytes.Equal(got, s.Data) {
				t.Errorf("segment %d differs: %v", s.Layout.BaseOffset, err)
			}
		}
		if s := r.summaries[0]; s.LostOffsets != 0 || s.Gaps != 0 || s.Conflicts != 0 || s.Exit != 3 || s.Left.Ranges < 6 {
			t.Errorf("%+v", *s)
		}
		for _, dir := range dirs {
			checkAccount(t, dir, &r)
		}
	}
}

// A missing segment and a lagging replica.
func TestMissingSegmentsMerge(t *testing.T) {
	p, dirs := twoReplicas(t, func(replica int, s *batchtest.Segment) []byte { return nil })
	a, b := copyOf(t, dirs[0]), copyOf(t, dirs[1])
	base := func(i int) string { return batchtest.FileName(p.Segments[i].Layout.BaseOffset, ".log") }
	if err := errors.Join(os.Remove(filepath.Join(a, base(1))), os.Remove(filepath.Join(b, base(2)))); err != nil {
		t.Fatal(err)
	}
	r := salvage(t, Request{Paths: []string{a}, From: []string{b}}, DefaultOptions())
	var want, got []byte
	for _, s := range p.Segments {
		want = append(want, s.Data...)
	}
	for _, batch := range batches(t, r.dir) {
		got = append(got, batch...)
	}
	if !bytes.Equal(got, want) || r.summaries[0].Exit != 0 {
		t.Errorf("%d bytes, want %d: %+v", len(got), len(want), *r.summaries[0])
	}
}

// After an unclean election, the old leader has records that the new one's
// history doesn't have: its follower truncated them, and so does the merge.
func TestUncleanElectionMerges(t *testing.T) {
	state := fixture.State(t, "kraft", "a/unclean-killed/n1/pair-0", "a/clean/n2/pair-0")
	old, now := filepath.Join(state, "a/unclean-killed/n1/pair-0"), filepath.Join(state, "a/clean/n2/pair-0")
	var want []byte
	for _, b := range batches(t, now) {
		want = append(want, b...)
	}
	for _, request := range []Request{{Paths: []string{old}, From: []string{now}}, {Paths: []string{now}, From: []string{old}}} {
		r := salvage(t, request, DefaultOptions())
		var got []byte
		for _, b := range batches(t, r.dir) {
			got = append(got, b...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%v: %d bytes, want %d", request.Paths, len(got), len(want))
		}
		if s := r.summaries[0]; s.LogEndOffset != 90 || s.Exit != 3 || s.Conflicts == 0 {
			t.Errorf("%+v", *s)
		}
		if len(r.decisions) == 0 {
			t.Fatal("the divergence was settled silently")
		}
		first, last := r.decisions[0], r.decisions[len(r.decisions)-1]
		if first.FirstOffset != 65 || last.LastOffset != 104 || first.DecidedBy != "leader-epoch" || first.KeptEpoch != 3 || first.LeftEpoch != 2 {
			t.Errorf("%+v … %+v", *first, *last)
		}
		epochs, err := statefile.ReadFile(filepath.Join(r.dir, "leader-epoch-checkpoint"), statefile.ReadLeaderEpochs)
		if err != nil || len(epochs.Entries) != 3 || epochs.Entries[2].Epoch != 3 || epochs.Entries[2].StartOffset != 65 {
			t.Errorf("%+v %v", epochs, err)
		}
		checkAccount(t, old, &r)
		checkAccount(t, now, &r)
	}
}

// One damaged epoch makes nobody a leader, and costs no batch.
func TestDamagedEpochIsNoElection(t *testing.T) {
	p, dirs := twoReplicas(t, func(replica int, s *batchtest.Segment) []byte {
		if replica == 0 {
			return nil
		}
		data := bytes.Clone(s.Data)
		data[s.Layout.Batches[5].Position+13] ^= 1 // the leader epoch
		return data
	})
	for _, checkpoint := range []bool{true, false} {
		if !checkpoint {
			for i, dir := range dirs {
				dirs[i] = copyOf(t, dir)
				if err := os.WriteFile(filepath.Join(dirs[i], "leader-epoch-checkpoint"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := salvage(t, Request{Paths: []string{dirs[1]}, From: []string{dirs[0]}}, DefaultOptions())
		got := batches(t, r.dir)
		n := 0
		for _, s := range p.Segments {
			for i := range s.Layout.Batches {
				if n >= len(got) || !bytes.Equal(withoutEpoch(got[n]), withoutEpoch(s.Layout.Bytes(s.Data, i))) {
					t.Fatalf("checkpoint %v: batch %d differs", checkpoint, n)
				}
				n++
			}
		}
		epochs, err := statefile.ReadFile(filepath.Join(r.dir, "leader-epoch-checkpoint"), statefile.ReadLeaderEpochs)
		if err != nil || slices.ContainsFunc(epochs.Entries, func(e statefile.EpochEntry) bool { return e.Epoch > 1<<15 }) {
			t.Errorf("checkpoint %v: %+v %v", checkpoint, epochs, err)
		}
	}
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	twin := filepath.Join(t.TempDir(), filepath.Base(dir))
	if err := os.CopyFS(twin, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return twin
}

func TestOtherTopicsAreNoReplicas(t *testing.T) {
	p, dirs := twoReplicas(t, func(int, *batchtest.Segment) []byte { return nil })
	p.TopicID = [16]byte{2}
	other, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Plan(&Request{Paths: dirs[:1], From: []string{other}}); err == nil || !strings.Contains(err.Error(), "topic ids") {
		t.Error(err)
	}
	if _, _, err := Plan(&Request{Paths: dirs[:]}); err == nil || !strings.Contains(err.Error(), "--from") {
		t.Error(err)
	}
}

// disk refuses some sectors.
type disk struct {
	io.ReaderAt
	bad map[int64]bool // by number of the sector
}

var errDisk = errors.New("input/output error")

func (d *disk) ReadAt(p []byte, position int64) (int, error) {
	for at := position; at < position+int64(len(p)); at += sector - at%sector {
		if d.bad[at/sector] {
			n, _ := d.ReaderAt.ReadAt(p[:at-position], position)
			return n, errDisk
		}
	}
	return d.ReaderAt.ReadAt(p, position)
}

func TestTolerant(t *testing.T) {
	content := batchtest.Noise(1, 10*sector+100)
	bad := map[int64]bool{2: true, 3: true, 7: true, 10: true}
	r := &tolerant{r: &disk{bytes.NewReader(content), bad}}
	want := bytes.Clone(content)
	for n := range bad {
		clear(want[n*sector : min(int64(len(want)), (n+1)*sector)])
	}
	for _, from := range []int64{0, 100, sector, 3*sector - 1, 9 * sector} {
		got, err := io.ReadAll(io.NewSectionReader(r, from, int64(len(content))-from))
		if err != nil || !bytes.Equal(got, want[from:]) {
			t.Errorf("from %d: %d bytes, %v", from, len(got), err)
		}
	}
	if n := r.unreadable(0, 1<<40); n != 3*sector+100 || !errors.Is(r.first, errDisk) {
		t.Errorf("%d bytes, %v, %v", n, r.bad, r.first)
	}
	if n := r.unreadable(3*sector+10, 7*sector+1); n != sector-10+1 {
		t.Errorf("%d bytes in a part", n)
	}
}
