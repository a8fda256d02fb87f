package sanity

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// pain is an input that made trouble for somebody, named after the issue of
// Apache Kafka that tells of it where there is one, and all that is said about
// it. Not here, as no single partition's files are at fault or another command
// answers them:
//
//	replicas damaged in different places         compare
//	KAFKA-10101, what a restart takes away       recovery
//	KAFKA-14240, where the metadata log begins   cluster
//	KAFKA-16511, overlaps in remote storage      dump
//	KAFKA-13687, reading whole files             dump
//	KAFKA-9293 and KAFKA-8745, printing          dump
//	KAFKA-20036, sizes after a change of codec   legal
//	the partition of a group                     lookup
//	KAFKA-1670, logs past 2 GiB                  size
type pain struct {
	exhibit
	// loud is every finding above info: "code severity file position slot",
	// the file as in the partition, or in the directory where one is given.
	loud []string
	info []string // infos that have to be among the findings
}

// g is the log of most cases: batches of the offsets 0–2, 3–4, 5–8 and 9, of
// 118, 99, 137 and 80 bytes.
func g(n int) []batchtest.Entry {
	var entries []batchtest.Entry
	for _, b := range []struct{ base, count, time int64 }{{0, 3, 0}, {3, 2, 1000}, {5, 4, 2000}, {9, 1, 1500}}[:n] {
		entries = append(entries, gBatch(b.base, b.count, at+b.time))
	}
	return entries
}

func gBatch(base, count, timestamp int64) batchtest.Batch {
	var records []batchtest.Record
	for i := range count {
		r := batchtest.KV(fmt.Sprintf("k%d", (base+i)%10), string(make([]byte, 10)))
		r.TimestampDelta = i
		records = append(records, r)
	}
	return batchtest.NewBatch(base, timestamp, records...)
}

// sick is a case on one partition whose only segment has these entries.
func sick(name string, entries []batchtest.Entry, change func(tree), loud ...string) pain {
	return pain{exhibit: exhibit{name: name, tree: built(of(entries...), change)}, loud: loud}
}

func (p pain) with(info ...string) pain {
	p.info = info
	return p
}

const (
	logFile  = "00000000000000000000.log"
	idxFile  = "00000000000000000000.index"
	timeFile = "00000000000000000000.timeindex"
)

// put overwrites bytes of a file of the partition.
func put(name string, position int, b ...byte) func(tree) {
	return func(t tree) {
		t[dir0+name] = bytes.Clone(t[dir0+name])
		copy(t[dir0+name][position:], b)
	}
}

func padded(name string, zeros int) func(tree) {
	return func(t tree) { t[dir0+name] = append(bytes.Clone(t[dir0+name]), make([]byte, zeros)...) }
}

func replaced(name string, data []byte) func(tree) {
	return func(t tree) { t[dir0+name] = data }
}

func TestPains(t *testing.T) {
	for _, p := range slices.Concat(indexPains(), logPains(), codecPains(), statePains()) {
		t.Run(p.name, func(t *testing.T) { p.show(t) })
	}
}

func (p *pain) show(t *testing.T) {
	root := p.write(t)
	target := filepath.Join(root, "small-0")
	base := target
	if len(p.targets) > 0 {
		target = filepath.Join(root, p.targets[0])
		base = root
	}
	before := contents(t, root)
	r := check(t, p.options, target)
	said := func(f *Finding) string {
		rel, err := filepath.Rel(base, f.File)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %s %s %d %d", f.Code, f.Severity, filepath.ToSlash(rel), f.Position, f.Slot)
	}
	var loud, all []string
	for _, f := range r.findings {
		all = append(all, said(f))
		if f.Severity > Info {
			loud = append(loud, said(f))
		}
	}
	if !slices.Equal(loud, p.loud) {
		t.Errorf("says %q, should say %q:\n%s", loud, p.loud, r)
	}
	for _, want := range p.info {
		if !slices.Contains(all, want) {
			t.Errorf("does not say %q:\n%s", want, r)
		}
	}
	if after := contents(t, root); after != before {
		t.Errorf("the files were\n%s\nand are\n%s", before, after)
	}
}

// contents lists the files with their sizes and times.
func contents(t *testing.T, root string) string {
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func indexPains() []pain {
	index := func(entries ...batchtest.IndexEntry) func(tree) {
		return replaced(idxFile, batchtest.AppendIndex(nil, 0, entries...))
	}
	times := func(offset int64) func(tree) {
		return replaced(timeFile, batchtest.AppendTimeIndex(nil, 0, batchtest.TimeEntry{Timestamp: at + 9, Offset: offset}))
	}
	firstLatest := gBatch(0, 3, at)
	firstLatest.Records[0].TimestampDelta, firstLatest.MaxTimestamp = 9, at+9

	rolled := pain{exhibit: exhibit{name: "KAFKA-10207 time index rolled with its padding", tree: built(two(g(2), []batchtest.Entry{gBatch(5, 4, at+2000)}, 5), padded(timeFile, 10*12))}}
	unwritten := sick("KAFKA-19200 time index full of zeros", g(4), nil)
	unwritten.sparse = map[string]int64{dir0 + timeFile: 10485756}
	closed := pain{exhibit: exhibit{name: "KAFKA-20979 untrimmed index in spite of a clean shutdown", targets: []string{"data"},
		tree: logDir("data", built(of(g(4)...), padded(idxFile, 10<<20-24)), tree{".kafka_cleanshutdown": nil})}}
	remote := pain{exhibit: exhibit{name: "KAFKA-15401 index in a remote log index cache", targets: []string{"0_XBrKSZx8RQ6yJwWIDcVMgQ.index"},
		tree: tree{"0_XBrKSZx8RQ6yJwWIDcVMgQ.index": make([]byte, 13)}},
		loud: []string{"index-size error 0_XBrKSZx8RQ6yJwWIDcVMgQ.index 8 -1"}}

	hundred := &batchtest.Partition{Topic: "small", IndexInterval: -1}
	for i := range int64(100) {
		hundred.Segments = append(hundred.Segments, batchtest.NewSegment(5*i, gBatch(5*i, 3, at+i), gBatch(5*i+3, 2, at+i)))
	}
	one := pain{exhibit: exhibit{name: "KAFKA-12520 one bad index of a hundred", tree: built(hundred, put("00000000000000000210.index", 7, 119))},
		loud: []string{"index-position-not-a-batch error 00000000000000000210.index 0 0"}}

	return []pain{
		rolled.with("timeindex-preallocated info " + timeFile + " 12 1"),
		unwritten.with("timeindex-preallocated info " + timeFile + " 0 0"),
		sick("KAFKA-9156 index of full size behind a crash", g(4), padded(idxFile, 10<<20-24)).with("index-preallocated info " + idxFile + " 24 3"),
		closed.with("index-preallocated info data/small-0/" + idxFile + " 24 3"),
		sick("KAFKA-7076 one entry of zeros", g(4), replaced(idxFile, make([]byte, 8))),
		sick("KAFKA-7487 last offsets of batches", g(4), nil),
		sick("KAFKA-7487 first offsets of batches", g(4), index(batchtest.IndexEntry{Offset: 3, Position: 118}, batchtest.IndexEntry{Offset: 5, Position: 217}, batchtest.IndexEntry{Offset: 9, Position: 354})),
		sick("KAFKA-3323 negative relative offset", g(4), index(batchtest.IndexEntry{Offset: 4, Position: 118}, batchtest.IndexEntry{Offset: -7, Position: 217}, batchtest.IndexEntry{Offset: 9, Position: 354}),
			"index-offset-out-of-range error "+idxFile+" 8 1"),
		sick("KAFKA-6264 offset past the reach of the base", g(1), replaced(logFile, append(batchtest.NewSegment(0, g(1)...).Data, gBatch(3_000_000_000, 2, at+1000).Encode()...)),
			"offset-overflow error "+logFile+" 118 -1"),
		sick("offsets past the reach of a negative base", g(1), func(t tree) {
			clear(t)
			for _, ext := range []string{".index", ".timeindex"} {
				t[dir0+"-9223372036854775807"+ext] = nil
			}
			t[dir0+"-9223372036854775807.log"] = batchtest.NewSegment(0, g(1)...).Data
		}, "offset-overflow error -9223372036854775807.log 0 -1"),
		sick("KAFKA-5413 offsets below the base", g(1), func(t tree) {
			clear(t)
			for _, ext := range []string{".index", ".timeindex"} {
				t[dir0+batchtest.FileName(1000, ext)] = nil
			}
			t[dir0+batchtest.FileName(1000, ".log")] = batchtest.NewSegment(0, g(1)...).Data
		}, "offset-below-base error 00000000000000001000.log 0 -1"),
		sick("KAFKA-16310 time entry for the record", []batchtest.Entry{firstLatest}, times(0)),
		sick("KAFKA-16310 time entry for the batch", []batchtest.Entry{firstLatest}, times(2)),
		remote, one,
		sick("KAFKA-5104 no index", g(4), func(t tree) { delete(t, dir0+idxFile) }, "index-missing warning "+idxFile+" -1 -1"),
		{exhibit: exhibit{name: "KAFKA-13603 empty newest segment without index", tree: tree{dir0 + logFile: nil}}},
	}
}
