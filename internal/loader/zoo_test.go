package loader_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// The damages that Kafka's loader was asked about. Each is made in one file of
// a copy of a captured partition.

// at is a batch of a log, by its header.
type at struct{ pos, size, base, last, count int64 }

func batchesOf(d []byte) (list []at) {
	for p := int64(0); p+61 <= int64(len(d)); {
		b := at{pos: p, size: int64(int32(binary.BigEndian.Uint32(d[p+8:]))) + 12, base: int64(binary.BigEndian.Uint64(d[p:]))}
		b.last = b.base + int64(int32(binary.BigEndian.Uint32(d[p+23:])))
		b.count = int64(int32(binary.BigEndian.Uint32(d[p+57:])))
		list = append(list, b)
		p += b.size
	}
	return list
}

// change makes a file's new content; nil removes the file.
type change func(d []byte, dir string) []byte

type zooCase struct {
	name, topic, ext string
	nth              int // of the files with that extension
	change           change
}

// onBatch changes batch n of a log.
func onBatch(n int, f func(d []byte, b at) []byte) change {
	return func(d []byte, _ string) []byte { return f(d, batchesOf(d)[n]) }
}

func flip(offset int64) func([]byte, at) []byte {
	return func(d []byte, b at) []byte { d[b.pos+offset] ^= 0x10; return d }
}

func put(offset int64, size int, value func(b at) int64, fix bool) func([]byte, at) []byte {
	return func(d []byte, b at) []byte {
		putInt(d[b.pos+offset:], size, value(b))
		if fix {
			batchtest.FixCRC(d[b.pos : b.pos+b.size])
		}
		return d
	}
}

func putInt(d []byte, size int, v int64) {
	for i := range size {
		d[i] = byte(v >> (8 * (size - 1 - i)))
	}
}

func constant(v int64) func(at) int64 { return func(at) int64 { return v } }

func logCases(topic string) []zooCase {
	prefix := strings.TrimSuffix(strings.TrimPrefix(topic, "codec-"), "-0") + "-"
	insert := func(d []byte, p int64, what []byte) []byte { return slices.Insert(d, int(p), what...) }
	cases := map[string]change{
		"crc-payload":   onBatch(7, flip(100)),
		"crc-stored":    onBatch(3, flip(18)),
		"crc-first":     onBatch(0, flip(70)),
		"magic":         onBatch(5, put(16, 1, constant(7), false)),
		"size-tiny":     onBatch(6, put(8, 4, constant(10), false)),
		"size-huge":     onBatch(6, put(8, 4, constant(0x7fffff00), false)),
		"size-negative": onBatch(6, put(8, 4, constant(-5), false)),
		"size-plus-one": onBatch(6, put(8, 4, func(b at) int64 { return b.size - 11 }, false)),
		"base-back":     onBatch(8, put(0, 8, func(b at) int64 { return b.base - 40 }, false)),
		"codec":         onBatch(4, put(21, 2, constant(6), true)),
		"count":         onBatch(4, put(57, 4, func(b at) int64 { return b.count + 3 }, true)),
		"count-huge":    onBatch(4, put(57, 4, constant(2000000000), true)),
		"last-delta":    onBatch(4, put(23, 4, func(b at) int64 { return b.last - b.base + 1 }, true)),
		"max-timestamp": onBatch(4, put(35, 8, constant(99), true)),
		"zero-hole":     onBatch(5, func(d []byte, b at) []byte { clear(d[b.pos : b.pos+b.size]); return d }),
		"garbage-inserted": onBatch(5, func(d []byte, b at) []byte {
			return insert(d, b.pos, append(bytes.Repeat([]byte{0xde, 0xad, 0xbe, 0xef}, 9), 1))
		}),
		"zero-tail":   func(d []byte, _ string) []byte { return append(d, make([]byte, 3000)...) },
		"torn":        func(d []byte, _ string) []byte { return d[:len(d)-5] },
		"batch-twice": onBatch(5, func(d []byte, b at) []byte { return insert(d, b.pos, bytes.Clone(d[b.pos:b.pos+b.size])) }),
	}
	var list []zooCase
	for name, c := range cases {
		list = append(list, zooCase{name: prefix + name, topic: topic, ext: ".log", change: c})
	}
	return list
}

// onEntries changes an index as entries of the given size.
func onEntries(size int, f func(entries [][]byte, dir string)) change {
	return func(d []byte, dir string) []byte {
		var entries [][]byte
		for i := 0; i+size <= len(d); i += size {
			entries = append(entries, d[i:i+size])
		}
		f(entries, dir)
		return d
	}
}

func swapped(a, b int) func([][]byte, string) {
	return func(e [][]byte, _ string) {
		x := bytes.Clone(e[a])
		copy(e[a], e[b])
		copy(e[b], x)
	}
}

func entry(n, offset, size int, value func(old int64) int64) func([][]byte, string) {
	return func(e [][]byte, _ string) {
		if n < 0 {
			n += len(e)
		}
		field := e[n][offset : offset+size]
		old := int64(0)
		for _, b := range field {
			old = old<<8 | int64(b)
		}
		putInt(field, size, value(old))
	}
}

func add(n int64) func(int64) int64 { return func(old int64) int64 { return old + n } }
func set(n int64) func(int64) int64 { return func(int64) int64 { return n } }

func indexCases() []zooCase {
	const t = "codec-none-0"
	cut := func(more ...byte) change { return func(d []byte, _ string) []byte { return append(d, more...) } }
	return []zooCase{
		{name: "index-swap", topic: t, ext: ".index", change: onEntries(8, swapped(10, 11))},
		{name: "index-mid-batch", topic: t, ext: ".index", change: onEntries(8, entry(12, 4, 4, add(7)))},
		{name: "index-past-eof", topic: t, ext: ".index", change: onEntries(8, entry(-1, 4, 4, set(0x7ffffff0)))},
		{name: "index-negative-position", topic: t, ext: ".index", change: onEntries(8, entry(9, 4, 4, set(-8)))},
		{name: "index-zero-hole", topic: t, ext: ".index", change: onEntries(8, func(e [][]byte, _ string) { clear(e[5]); clear(e[6]) })},
		{name: "index-size", topic: t, ext: ".index", change: cut(1, 2, 3)},
		{name: "index-duplicate-entry", topic: t, ext: ".index", change: onEntries(8, func(e [][]byte, _ string) { copy(e[8], e[7]) })},
		{name: "index-position-of-previous", topic: t, ext: ".index", change: onEntries(8, func(e [][]byte, _ string) { copy(e[15][4:], e[14][4:]) })},
		{name: "timeindex-lower", topic: t, ext: ".timeindex", change: onEntries(12, entry(10, 0, 8, add(-5_000_000)))},
		{name: "timeindex-shifted", topic: t, ext: ".timeindex", change: onEntries(12, func(e [][]byte, dir string) {
			for i := range e {
				entry(i, 0, 8, add(1))(e, dir)
			}
		})},
		{name: "timeindex-offset", topic: t, ext: ".timeindex", change: onEntries(12, entry(-1, 8, 4, set(0x7ffffff0)))},
		{name: "timeindex-zero", topic: t, ext: ".timeindex", change: onEntries(12, func(e [][]byte, _ string) { clear(e[4]) })},
		{name: "timeindex-size", topic: t, ext: ".timeindex", change: cut(1, 2, 3)},
		{name: "txnindex-dropped", topic: "txn-0", ext: ".txnindex", change: func(d []byte, _ string) []byte { return slices.Delete(d, 34, 68) }},
		{name: "txnindex-producer", topic: "txn-0", ext: ".txnindex", change: onEntries(34, entry(1, 2, 8, add(77)))},
		{name: "txnindex-first", topic: "txn-0", ext: ".txnindex", change: onEntries(34, entry(1, 10, 8, add(1)))},
		{name: "txnindex-order", topic: "txn-0", ext: ".txnindex", change: onEntries(34, swapped(0, 1))},
		{name: "txnindex-version", topic: "txn-0", ext: ".txnindex", change: onEntries(34, entry(0, 0, 2, set(0x0300)))},
		{name: "index-missing", topic: t, ext: ".index", change: func([]byte, string) []byte { return nil }},
	}
}

func otherCases(t *testing.T) []zooCase {
	payload := func(d []byte, b at) []byte {
		for i := b.pos + 75; i < min(b.pos+130, b.pos+b.size); i++ {
			d[i] ^= 0x5a
		}
		batchtest.FixCRC(d[b.pos : b.pos+b.size])
		return d
	}
	list := []zooCase{
		{name: "record-size-varint", topic: "codec-none-0", ext: ".log", change: onBatch(6, func(d []byte, b at) []byte {
			copy(d[b.pos+61:], []byte{0xff, 0xff, 0x7f})
			batchtest.FixCRC(d[b.pos : b.pos+b.size])
			return d
		})},
		{name: "epoch-99", topic: "codec-none-0", ext: ".log", change: onBatch(6, put(12, 4, constant(99), false))},
		{name: "index-of-another-topic", topic: "codec-none-0", ext: ".index", change: func([]byte, string) []byte {
			return fixture.ReadFile(t, "kafka-4.4.0/closed/codec-gzip-0/00000000000000000000.index")
		}},
		{name: "index-offset-shifted", topic: "codec-none-0", ext: ".index", change: onEntries(8, func(e [][]byte, dir string) {
			log, err := os.ReadFile(filepath.Join(dir, "00000000000000000000.log"))
			if err != nil {
				t.Fatal(err)
			}
			for k := 13; k < len(e); k++ {
				before := binary.BigEndian.Uint32(e[k-1])
				if binary.BigEndian.Uint64(log[binary.BigEndian.Uint32(e[k][4:]):]) > uint64(before)+1 {
					binary.BigEndian.PutUint32(e[k], before+1)
					return
				}
			}
		})},
		{name: "snapshot-flip", topic: "txn-0", ext: ".snapshot", change: func(d []byte, _ string) []byte { d[20] ^= 1; return d }},
		{name: "snapshot-cut", topic: "txn-0", ext: ".snapshot", change: func(d []byte, _ string) []byte { return d[:len(d)-7] }},
		{name: "epochs-garbage", topic: "codec-none-0", ext: "leader-epoch-checkpoint", change: func([]byte, string) []byte { return []byte("0\n1\nzero zero\n") }},
		{name: "epochs-order", topic: "codec-none-0", ext: "leader-epoch-checkpoint", change: func([]byte, string) []byte { return []byte("0\n3\n0 0\n2 100\n1 200\n") }},
		{name: "partition-metadata", topic: "codec-none-0", ext: "partition.metadata", change: func([]byte, string) []byte { return []byte("version: 0\n") }},
		{name: "log-missing", topic: "full-index-0", ext: ".log", nth: 1, change: func([]byte, string) []byte { return nil }},
	}
	for _, codec := range []string{"gzip", "lz4", "zstd", "snappy"} {
		list = append(list, zooCase{name: codec + "-payload-crc-right", topic: "codec-" + codec + "-0", ext: ".log", change: onBatch(9, payload)})
	}
	return list
}

// zoo are all cases by name.
func zoo(t *testing.T) map[string]zooCase {
	all := map[string]zooCase{}
	for _, list := range [][]zooCase{logCases("codec-none-0"), logCases("codec-lz4-0"), logCases("many-0"), indexCases(), otherCases(t)} {
		for _, c := range list {
			all[c.name] = c
		}
	}
	return all
}

// build makes the case and returns its directory.
func (c zooCase) build(t *testing.T) string {
	dir := fixture.Copy(t, "kafka-4.4.0/closed/"+c.topic)
	names, err := filepath.Glob(filepath.Join(dir, "*"+c.ext))
	if err != nil || len(names) <= c.nth {
		t.Fatalf("%s: no file %d of %s: %v", c.name, c.nth, c.ext, err)
	}
	sort.Strings(names)
	file := names[c.nth]
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if data = c.change(data, dir); data == nil {
		err = os.Remove(file)
	} else {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
