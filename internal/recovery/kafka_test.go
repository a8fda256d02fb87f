//go:build kafka

package recovery_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/leaderepoch"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// sameAsKafka recovers one segment of a directory here and there, and compares
// everything: bytes that stay, exceptions, the three files, epochs, producers.
func sameAsKafka(t *testing.T, k *oracle.Client, dir string, base int64, interval, maxIndexSize int) {
	t.Helper()
	want := k.Recover(dir, base, oracle.RecoverOpts{
		LogOpts:       oracle.LogOpts{IndexInterval: oracle.Bytes(interval), MaxIndexSize: maxIndexSize, NowMs: 1},
		ProducerState: oracle.FromReplay,
	})
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	before, err := recovery.StateBefore(p, base, 0, kafkaversion.Latest)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%020d.log", base)
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	checkpoint, err := statefile.ReadFile(filepath.Join(dir, "leader-epoch-checkpoint"), statefile.ReadLeaderEpochs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	epochs := leaderepoch.NewCache(checkpoint.Entries)
	got, err := recovery.Segment(f, info.Size(), recovery.Options{
		File: filepath.Join(dir, name), BaseOffset: base, Version: kafkaversion.Latest,
		Interval: int64(interval), MaxIndexSize: maxIndexSize, Producers: before.State, Epochs: epochs,
	})
	if err != nil {
		t.Fatal(err)
	}
	where := fmt.Sprintf("%s, interval %d, index size %d", filepath.Join(filepath.Base(dir), name), interval, maxIndexSize)
	if (got.Failure != nil) != (want.Failure != nil) {
		t.Errorf("%s: threw %v, Kafka %v", where, got.Failure, want.Failure)
		return
	}
	if got.Failure != nil {
		// Paths are those of scratch copies there.
		mine, theirs := got.Failure.Message, want.Failure.Message
		if at := strings.IndexAny(mine, "/"); at >= 0 && len(theirs) >= at {
			mine, theirs = mine[:at], theirs[:at]
		}
		if got.Failure.Class != want.Failure.Class || !strings.HasPrefix(theirs, mine) && !strings.Contains(mine, "LogSegment(") && got.Failure.Class != "java.lang.NullPointerException" {
			t.Errorf("%s:\nthrew %v\nKafka %v", where, got.Failure, want.Failure)
		}
		return
	}
	if got.Truncated() != want.TruncatedBytes || got.ValidBytes != want.ValidBytes {
		t.Errorf("%s: %d bytes stay, %d go; with Kafka %d and %d", where, got.ValidBytes, got.Truncated(), want.ValidBytes, want.TruncatedBytes)
	}
	files := map[string]string{}
	for _, file := range want.Files {
		if strings.HasPrefix(file.Name, fmt.Sprintf("%020d.", base)) {
			files[filepath.Ext(file.Name)] = file.SHA256
		}
	}
	for suffix, content := range map[string][]byte{".index": got.Offset.Bytes(), ".timeindex": got.Time.Bytes(), ".txnindex": got.Txn.Bytes()} {
		sum := sha256.Sum256(content)
		theirs, there := files[suffix]
		if there && theirs != hex.EncodeToString(sum[:]) || !there && len(content) > 0 {
			t.Errorf("%s: another %s, of %d bytes", where, suffix, len(content))
		}
	}
	if len(epochs.Entries) != len(want.LeaderEpochs) {
		t.Errorf("%s: epochs %v, Kafka %v", where, epochs.Entries, want.LeaderEpochs)
	} else {
		for i, e := range epochs.Entries {
			if [2]int64{int64(e.Epoch), e.StartOffset} != want.LeaderEpochs[i] {
				t.Errorf("%s: epochs %v, Kafka %v", where, epochs.Entries, want.LeaderEpochs)
			}
		}
	}
	if len(want.Producers) != before.State.Len() {
		t.Errorf("%s: %d producers, Kafka %d", where, before.State.Len(), len(want.Producers))
		return
	}
	for _, w := range want.Producers {
		g, _ := before.State.Producer(w.ProducerID)
		open := int64(-1)
		if w.CurrentTxnFirstOffset != nil {
			open = *w.CurrentTxnFirstOffset
		}
		same := g.ProducerEpoch == w.ProducerEpoch && g.CoordinatorEpoch == w.CoordinatorEpoch && g.LastTimestamp == w.LastTimestamp && g.CurrentTxnFirstOffset == open
		if n := len(w.Batches); n == 0 {
			same = same && !g.HasBatch()
		} else {
			last := w.Batches[n-1]
			same = same && g.LastSequence == last.LastSeq && g.FirstSequence == last.FirstSeq && g.LastOffset == last.LastOffset
		}
		if !same {
			t.Errorf("%s: producer %+v, Kafka %+v", where, g, w)
		}
	}
}

var indexSettings = [][2]int{{0, 10 << 20}, {1, 10 << 20}, {100, 10 << 20}, {4096, 10 << 20}, {100 << 20, 10 << 20}, {0, 11}, {0, 24}, {300, 100}}

func TestKafkaRecoversCaptures(t *testing.T) {
	k := oracle.Open(t)
	segments := 0
	for p := range fixture.Partitions(t) {
		if p.Kind != fixture.Closed {
			continue
		}
		dir := p.Copy(t)
		partition, err := logdir.OpenPartition(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, segment := range partition.Segments {
			if segment.Log == nil {
				continue
			}
			segments++
			for j, s := range indexSettings {
				// All settings for each kind of log, a few of them for the rest.
				if strings.HasPrefix(p.Capture, "kafka-") && i < 2 || j%4 == segments%4 {
					sameAsKafka(t, k, dir, segment.BaseOffset, s[0], s[1])
				}
			}
		}
	}
	if segments < 280 {
		t.Errorf("only %d segments", segments)
	}
}

func TestKafkaRecoversGenerated(t *testing.T) {
	k := oracle.Open(t)
	for i, profile := range oracle.Profiles {
		for seed := range int64(2) {
			dir := filepath.Join(t.TempDir(), "g-0")
			g := k.Generate(dir, 100*int64(i)+seed, oracle.GenerateOpts{Profile: profile})
			for n, segment := range g.Segments {
				s := indexSettings[(n+int(seed))%5]
				sameAsKafka(t, k, g.Dir, segment.Base, s[0], s[1])
			}
		}
	}
}

// alone writes a log into a partition directory of its own.
func alone(t *testing.T, dir string, base int64, log []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d.log", base)), log, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestKafkaRecoversDamage(t *testing.T) {
	k := oracle.Open(t)
	for seed := range uint64(3) {
		s := batchtest.Generate(seed, batchtest.Plain())
		dir := filepath.Join(t.TempDir(), "d-0")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, d := range append(batchtest.LogDamages(), batchtest.HostileDamages()...) {
			t.Run(d.Name, func(t *testing.T) {
				damaged, _ := d.Apply(bytes.Clone(s.Data), &s.Layout)
				alone(t, dir, s.Layout.BaseOffset, damaged)
				sameAsKafka(t, k, dir, s.Layout.BaseOffset, []int{0, 100 << 20, 500}[seed], 10<<20)
			})
		}
	}
}

// Cut at many lengths, and each byte of a header and of a marker changed.
func TestKafkaRecoversChangedBytes(t *testing.T) {
	k := oracle.Open(t)
	log := log(batch(0, 1), batch(1, 2).WithProducer(7, 0, 0).WithAttributes(0x10), batchtest.Marker(3, 1000, 7, 0, false, 2), batch(4, 1))
	dir := filepath.Join(t.TempDir(), "d-0")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(log); n += 5 {
		alone(t, dir, 0, log[:n])
		sameAsKafka(t, k, dir, 0, 0, 10<<20)
	}
	first := len(batch(0, 1).Encode())
	for at := first; at < first+61; at++ {
		for _, bit := range []byte{1, 0x80} {
			damaged := bytes.Clone(log)
			damaged[at] ^= bit
			alone(t, dir, 0, damaged)
			sameAsKafka(t, k, dir, 0, 0, 10<<20)
		}
	}
	for name, record := range markers {
		b := batchtest.ControlBatch(5, 0, record).WithProducer(7, 0, -1).WithAttributes(0x30)
		t.Run(name, func(t *testing.T) {
			alone(t, dir, 0, append(bytes.Clone(log), append(b.Encode(), batch(9, 1).Encode()...)...))
			sameAsKafka(t, k, dir, 0, 0, 10<<20)
		})
	}
}

// markers are control records as no broker writes them.
var markers = map[string]batchtest.Record{
	"short key":              {Key: []byte{0, 0, 0}, Value: make([]byte, 6)},
	"null key":               {Value: make([]byte, 6)},
	"negative key version":   {Key: []byte{255, 0, 0, 0}, Value: make([]byte, 6)},
	"unknown type":           {Key: []byte{0, 0, 0, 9}, Value: make([]byte, 6)},
	"leader change":          {Key: []byte{0, 0, 0, 2}, Value: make([]byte, 6)},
	"short value":            {Key: make([]byte, 4), Value: make([]byte, 5)},
	"value of two":           {Key: make([]byte, 4), Value: make([]byte, 2)},
	"empty value":            {Key: make([]byte, 4), Value: []byte{}},
	"null value":             {Key: make([]byte, 4)},
	"negative value version": {Key: make([]byte, 4), Value: []byte{255, 0, 0, 0, 0, 0}},
	"later value version":    {Key: make([]byte, 4), Value: []byte{0, 7, 0, 0, 0, 3, 9, 9}},
	"raw record":             {Raw: []byte{0x10, 0, 0, 0}},
}
