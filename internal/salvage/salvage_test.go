package salvage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// result is what a salvage made and told.
type result struct {
	dir       string // of the partition
	summaries []*Summary
	left      []*Left
	kept      []*Salvaged
	decisions []*Decision
	gaps      []*Gap
}

// salvage runs a request into a new directory.
func salvage(t *testing.T, request Request, o Options) result {
	t.Helper()
	var r result
	o.Tell = func(object any) error {
		switch v := object.(type) {
		case *Left:
			r.left = append(r.left, v)
		case *Salvaged:
			r.kept = append(r.kept, v)
		case *Decision:
			r.decisions = append(r.decisions, v)
		case *Gap:
			r.gaps = append(r.gaps, v)
		}
		return nil
	}
	jobs, _, err := Plan(&request)
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), "out")
	out, err := place.Open(base, place.Options{Sources: request.Sources(), Own: Owns(jobs)})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for i := range jobs {
		summary, err := Run(context.Background(), &jobs[i], out, o)
		if err != nil {
			t.Fatal(err)
		}
		r.summaries = append(r.summaries, summary)
		r.dir = filepath.Join(base, jobs[i].Name)
	}
	return r
}

// batches cuts the logs of a directory into batches, by their lengths alone,
// and checks that offsets rise and file names fit.
func batches(t *testing.T, dir string) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	next := int64(0)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var base int64
		if _, err := fmt.Sscanf(filepath.Base(file), "%d.log", &base); err != nil || base < next {
			t.Errorf("%s after offset %d: %v", file, next, err)
		}
		for len(data) > 0 {
			size := 12 + int(int32(binary.BigEndian.Uint32(data[8:])))
			if size < 26 || size > len(data) {
				t.Fatalf("%s: a batch of %d bytes, %d are left", file, size, len(data))
			}
			first := int64(binary.BigEndian.Uint64(data))
			last := first
			if data[16] == 2 {
				last += int64(int32(binary.BigEndian.Uint32(data[23:])))
			}
			if first < max(base, next) && data[16] == 2 || last < next {
				t.Errorf("%s: offset %d after %d", file, first, next-1)
			}
			next = last + 1
			all = append(all, data[:size])
			data = data[size:]
		}
	}
	return all
}

// withoutEpoch blanks the leader epoch, which no checksum covers.
func withoutEpoch(b []byte) []byte {
	b = bytes.Clone(b)
	if b[16] == 2 {
		copy(b[12:16], "\xff\xff\xff\xff")
	}
	return b
}

// Of every kind of damage, every batch that is still there comes out, once and
// in order, and nothing else; and each byte of the sources is accounted for.
func TestEveryDamage(t *testing.T) {
	profiles := map[string]batchtest.Profile{
		"plain": batchtest.Plain(), "transactional": batchtest.Transactional(), "compressed": batchtest.Compressed(),
	}
	runs := 0
	for name, profile := range profiles {
		for i, d := range batchtest.LogDamages() {
			if name != "plain" && i%4 != len(name)%4 {
				continue
			}
			p := batchtest.GeneratePartition(uint64(len(d.Name)), profile, 3)
			segment := i % 3
			s := p.Segments[segment]
			if len(s.Layout.Batches) < 8 || name != "plain" && !applies(d, s) {
				continue
			}
			damaged, what := d.Apply(s.Data, &s.Layout)
			if what.ChecksumRight && !framing(d.Name) {
				continue // a producer's own nonsense: intact as far as a checksum tells
			}
			runs++
			t.Run(name+" "+d.Name, func(t *testing.T) {
				t.Parallel()
				p.Topic, p.TopicID = "t", [16]byte{1}
				p.Files = map[string][]byte{batchtest.FileName(s.Layout.BaseOffset, ".log"): damaged}
				dir, err := p.Write(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				fixture.RequireUnchanged(t, dir)
				if strings.Contains(d.Name, "leader epoch") {
					what.Intact = allOf(s) // a damaged epoch leaves a batch intact
				}
				checkSalvage(t, dir, p, segment, what.Intact)
			})
		}
	}
	if runs < 60 {
		t.Errorf("only %d damages", runs)
	}
}

func allOf(s *batchtest.Segment) (all []batchtest.Intact) {
	for i := range s.Layout.Batches {
		all = append(all, batchtest.Intact{Batch: i})
	}
	return all
}

func checkSalvage(t *testing.T, dir string, p *batchtest.Partition, segment int, intact []batchtest.Intact) {
	t.Helper()
	var want [][]byte
	for i, s := range p.Segments {
		kept := allOf(s)
		if i == segment {
			kept = slices.Clone(intact)
			slices.SortFunc(kept, func(a, b batchtest.Intact) int { return cmp.Compare(a.Batch, b.Batch) })
			kept = slices.CompactFunc(kept, func(a, b batchtest.Intact) bool { return a.Batch == b.Batch })
		}
		for _, k := range kept {
			want = append(want, withoutEpoch(s.Layout.Bytes(s.Data, k.Batch)))
		}
	}
	r := salvage(t, Request{Paths: []string{dir}}, DefaultOptions())
	got := batches(t, r.dir)
	for i := range got {
		got[i] = withoutEpoch(got[i])
	}
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("segment %d: %d batches, want %d", segment, len(got), len(want))
		for _, l := range r.left {
			if !Lossless(l.Reason) {
				t.Logf("left %+v", *l)
			}
		}
	}
	checkAccount(t, dir, &r)
}

// applies says whether a damage can be done to a segment of any profile.
func applies(d batchtest.Damage, s *batchtest.Segment) (ok bool) {
	defer func() { ok = recover() == nil }()
	d.Apply(s.Data, &s.Layout)
	return true
}

// framing: the fields that no checksum covers.
func framing(name string) bool {
	return strings.HasPrefix(name, "base offset") || strings.HasPrefix(name, "leader epoch") || strings.HasPrefix(name, "magic")
}

// checkAccount: every byte of every file is kept or left, and none both.
func checkAccount(t *testing.T, dir string, r *result) {
	t.Helper()
	type extent struct{ from, to int64 }
	told := map[string][]extent{}
	for _, k := range r.kept {
		told[k.File] = append(told[k.File], extent{k.Position, k.EndPosition})
	}
	for _, l := range r.left {
		told[l.File] = append(told[l.File], extent{l.Position, l.EndPosition})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		at := int64(0)
		slices.SortFunc(told[file], func(a, b extent) int { return cmp.Compare(a.from, b.from) })
		for _, x := range told[file] {
			if x.from != at || x.to < x.from {
				t.Errorf("%s: %v after position %d", file, x, at)
			}
			at = x.to
		}
		if at != info.Size() {
			t.Errorf("%s: %d bytes of %d are accounted for: %v", file, at, info.Size(), told[file])
		}
	}
}
