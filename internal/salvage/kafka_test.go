//go:build kafka

package salvage

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// What was salvaged is loaded by the real loader after a clean and after an
// unclean stop, and nothing is cut, removed or rebuilt differently.
func TestKafkaLoadsWhatWasSalvaged(t *testing.T) {
	k := oracle.Open(t)
	for i, d := range batchtest.LogDamages() {
		p := batchtest.GeneratePartition(uint64(i), batchtest.Transactional(), 3)
		s := p.Segments[i%3]
		if i%2 == 0 || len(s.Layout.Batches) < 8 || !applies(d, s) {
			continue
		}
		p.Topic, p.TopicID = "t", [16]byte{1}
		damaged, _ := d.Apply(s.Data, &s.Layout)
		p.Files = map[string][]byte{batchtest.FileName(s.Layout.BaseOffset, ".log"): damaged}
		dir, err := p.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		r := salvage(t, Request{Paths: []string{dir}}, DefaultOptions())
		for _, clean := range []bool{true, false} {
			l := k.Load(r.dir, oracle.LoadOpts{Clean: clean})
			if !l.Loaded {
				t.Errorf("%s, clean %v: %v", d.Name, clean, l.Failure)
				continue
			}
			if l.LogEndOffset != int64(r.summaries[0].LogEndOffset) || len(l.Segments) != int(r.summaries[0].Segments) {
				t.Errorf("%s, clean %v: end %d, %d segments, want %+v", d.Name, clean, l.LogEndOffset, len(l.Segments), *r.summaries[0])
			}
			for _, c := range l.ChangesByLoad.Changed {
				if suffix := filepath.Ext(c.Name); suffix == ".log" || suffix == ".txnindex" {
					t.Errorf("%s, clean %v: %+v", d.Name, clean, c)
				}
			}
			if len(l.ChangesByLoad.Removed) > 0 {
				t.Errorf("%s, clean %v: removed %v", d.Name, clean, l.ChangesByLoad.Removed)
			}
		}
	}
}

// A real broker serves every intact record of salvaged partitions, none twice
// and none out of order, and of two replicas with disjoint damage all.
func TestBrokerServesWhatWasSalvaged(t *testing.T) {
	k := oracle.Open(t)
	root := filepath.Join(t.TempDir(), "root")
	if err := fixture.CopyTo(root, "kafka-4.4.0/closed"); err != nil {
		t.Fatal(err)
	}
	partitions := []string{"many-0", "codec-zstd-0", "txn-0", "codec-none-0"}
	merged := "codec-none-0"
	damagedRoot, twinRoot := t.TempDir(), t.TempDir()
	want := map[string]oracle.Served{}
	for _, name := range partitions {
		for number, to := range []string{damagedRoot, twinRoot} {
			if err := os.CopyFS(filepath.Join(to, name), os.DirFS(filepath.Join(root, name))); err != nil {
				t.Fatal(err)
			}
			served := damageEvery(t, filepath.Join(to, name), 5, number)
			if number == 0 {
				want[name] = served
			}
		}
	}
	want[merged] = damageEvery(t, filepath.Join(root, merged), 1<<30, -1)
	for _, name := range partitions {
		request := Request{Paths: []string{filepath.Join(damagedRoot, name)}}
		if name == merged {
			request.From = []string{filepath.Join(twinRoot, name)}
		}
		r := salvage(t, request, DefaultOptions())
		if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(r.dir)); err != nil {
			t.Fatal(err)
		}
	}
	report := k.BrokerCheck(root, oracle.BrokerOpts{Topics: []string{"many", "codec-zstd", "txn", "codec-none"}, Unclean: true, NoRecoveryPoint: true})
	if !report.OK || !report.AliveAtEnd {
		t.Fatalf("%+v %v", report, report.Failure)
	}
	for name, w := range want {
		got := report.Partitions[name]
		if got.Error != nil || !got.ReachedEnd || got.Records != w.Records || got.Digest != w.Digest {
			t.Errorf("%s: served %+v, want %d records, digest %s", name, got, w.Records, w.Digest)
		}
	}
}

// damageEvery flips a bit in every nth batch of a partition, beginning with
// number first, and tells what a consumer must be served of the others.
func damageEvery(t *testing.T, dir string, n, first int) oracle.Served {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	var served oracle.Served
	digest := sha256.New()
	number := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out := bytes.Clone(data)
		var decoder recordbatch.Decoder
		for b, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Batches() {
			if err != nil {
				t.Fatal(err)
			}
			number++
			// A marker that is lost makes a transaction hang, and one of a
			// producer's batches is enough for that.
			if number%n == first && !b.IsControl() && !b.IsTransactional() {
				out[b.EndPosition()-1] ^= 4
				continue
			}
			if b.IsControl() {
				continue
			}
			for r, err := range decoder.Records(b) {
				if err != nil {
					t.Fatal(err)
				}
				served.Records++
				line := binary.BigEndian.AppendUint64(nil, uint64(r.Offset))
				line = binary.BigEndian.AppendUint64(line, uint64(r.Timestamp))
				line = appendSized(appendSized(line, r.Key, r.HasKey), r.Value, r.HasValue)
				digest.Write(line)
			}
		}
		if err := os.WriteFile(file, out, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	served.Digest = hex.EncodeToString(digest.Sum(nil))
	return served
}

func appendSized(dst, b []byte, present bool) []byte {
	if !present {
		return binary.BigEndian.AppendUint32(dst, 1<<32-1)
	}
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(b))), b...)
}
