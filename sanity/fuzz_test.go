package sanity

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// fuzzPartitions are what is damaged: each has every kind of file.
func fuzzPartitions() []*batchtest.Partition {
	wild := batchtest.Wild()
	wild.Batches = 12
	dense := batchtest.Transactional()
	dense.Batches = 20
	all := []*batchtest.Partition{smallV2(), smallV1(), batchtest.GeneratePartition(5, wild, 2), batchtest.GeneratePartition(6, dense, 2)}
	all[3].Preallocated = 256
	return all
}

// mutate applies a script of four-byte steps: what, where (2 bytes), with what.
func mutate(data, script []byte) []byte {
	data = bytes.Clone(data)
	for ; len(script) >= 4 && len(data) > 0; script = script[4:] {
		at, with := int(binary.BigEndian.Uint16(script[1:]))%len(data), script[3]
		switch script[0] % 8 {
		case 0:
			data[at] ^= with
		case 1:
			data[at] = with
		case 2:
			data = slices.Delete(data, at, min(len(data), at+int(with)))
		case 3:
			data = slices.Insert(data, at, bytes.Repeat([]byte{script[0]}, int(with))...)
		case 4:
			data = data[:at]
		case 5:
			clear(data[at:min(len(data), at+int(with))])
		case 6:
			data = slices.Insert(data, at, data[at:min(len(data), at+int(with))]...)
		case 7:
			data = append(data, make([]byte, int(with)*64)...)
		}
	}
	return data
}

// FuzzPartition damages one file of a partition, and holds the check to its
// laws: it ends, with a bounded number of findings, each within its file; with
// several workers it says the same; it finds nothing new where nothing changed,
// and something where a snapshot did, which is all under a checksum.
func FuzzPartition(f *testing.F) {
	f.Add(byte(0), byte(1), []byte{0, 0, 8, 0x40})
	f.Add(byte(0), byte(1), []byte{2, 0, 90, 40, 3, 0, 20, 7})
	f.Add(byte(1), byte(1), []byte{4, 0, 90, 0, 7, 0, 0, 2})
	f.Add(byte(2), byte(0), []byte{6, 0, 8, 16})
	f.Add(byte(3), byte(2), []byte{5, 0, 24, 24, 1, 0, 3, 9})
	f.Add(byte(3), byte(5), []byte{1, 0, 1, 9})
	type base struct {
		m     *memory
		names []string
		known string
	}
	var bases []base
	for _, p := range fuzzPartitions() {
		files := p.Build()
		m := newMemory(f, p.Dir(), files)
		before, _ := m.check(Options{}, nil)
		bases = append(bases, base{m, slices.Sorted(maps.Keys(files)), fingerprint(before)})
	}
	f.Fuzz(func(t *testing.T, which, file byte, script []byte) {
		b := bases[int(which)%len(bases)]
		name := b.names[int(file)%len(b.names)]
		old := b.m.files[b.m.path(name)]
		if len(script) > 64 {
			script = script[:64]
		}
		damaged := mutate(old, script)
		changed := map[string][]byte{name: damaged}
		o := Options{DecompressLimit: 1 << 20}
		findings, summary := b.m.check(o, changed)
		o.Workers = 4
		again, _ := b.m.check(o, changed)
		if fingerprint(findings) != fingerprint(again) {
			t.Errorf("differs with four workers:\n%s\n%s", fingerprint(findings), fingerprint(again))
		}
		if bytes.Equal(old, damaged) != (fingerprint(findings) == b.known) && (bytes.Equal(old, damaged) || isSnapshot(name)) {
			t.Errorf("%s: equal %v; found\n%s", name, bytes.Equal(old, damaged), fingerprint(findings))
		}
		if len(findings) > 3*MostOfCode {
			t.Errorf("%d findings", len(findings))
		}
		var counted Summary
		for _, x := range findings {
			counted.Count(x)
			size := int64(len(b.m.files[x.File]))
			if x.File == b.m.path(name) {
				size = int64(len(damaged))
			}
			if _, ok := b.m.files[x.File]; ok && (x.Position > size || x.EndPosition > size || x.EndPosition >= 0 && x.Position > x.EndPosition) {
				t.Errorf("outside of a file of %d bytes: %s", size, x.AppendJSON(nil))
			}
			if x.Message == "" || x.Broker == "" {
				t.Errorf("says too little: %s", x.AppendJSON(nil))
			}
		}
		if counted.Errors != summary.Errors || counted.Warnings != summary.Warnings || counted.Infos != summary.Infos || counted.Unchecked != summary.Unchecked {
			t.Errorf("counted %+v, summary %+v", counted, summary)
		}
	})
}

func isSnapshot(name string) bool { return len(name) > 9 && name[len(name)-9:] == ".snapshot" }
