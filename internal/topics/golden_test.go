package topics_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
)

// Every record of the captured internal topics, against what Kafka's dump tool
// printed of it.
func TestGolden(t *testing.T) {
	seen := seen{}
	for g := range fixture.Goldens(t, fixture.ModeDecoded) {
		seen.compare(t, g.Capture+"/"+g.File, fixture.ReadFile(t, g.Capture+"/"+g.File), recordLines(g.Stdout))
	}
	seen.check(t, topics.ConsumerOffsets, topics.TransactionState, topics.ShareGroupState, topics.ClusterMetadata)
}

// The same for the log directories in odd states: groups of every kind, a
// quorum of three, tiers.
func TestGoldenStates(t *testing.T) {
	seen := seen{}
	for _, state := range []string{"groups", "kraft", "tiered"} {
		dir := fixture.State(t, state)
		dumps, err := filepath.Glob(filepath.Join(dir, "a", "dump*", "*.txt"))
		if err != nil || len(dumps) == 0 {
			t.Fatalf("%s: no dumps, %v", state, err)
		}
		for _, dump := range dumps {
			seen.compareState(t, dump)
		}
	}
	seen.check(t, topics.ConsumerOffsets, topics.TransactionState, topics.ShareGroupState, topics.ClusterMetadata, topics.RemoteLogMetadata)
}

// compareState reads a dump of all files of a partition:
// a/dump-STAGE/DIR__TOPIC-0.txt of a/STAGE/DIR/TOPIC-0.
func (s seen) compareState(t *testing.T, dump string) {
	t.Helper()
	stage := strings.TrimPrefix(strings.TrimPrefix(filepath.Base(filepath.Dir(dump)), "dump"), "-")
	logDir, partition, _ := strings.Cut(strings.TrimSuffix(filepath.Base(dump), ".txt"), "__")
	text, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ = bytes.Cut(text, []byte("# stderr"))
	for _, part := range strings.Split(string(text), "Dumping ")[1:] {
		file, part, _ := strings.Cut(part, "\n")
		path := filepath.Join(filepath.Dir(filepath.Dir(dump)), stage, logDir, partition, file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s.compare(t, path, data, recordLines([]byte(part)))
	}
}

// seen counts the records compared.
type seen map[topics.Topic]int

func (s seen) check(t *testing.T, want ...topics.Topic) {
	t.Helper()
	for _, topic := range want {
		if s[topic] == 0 {
			t.Errorf("no record of %v compared", topic)
		}
	}
	t.Log(s)
}

// compare renders every record of a file and compares with the dump's line.
func (s seen) compare(t *testing.T, file string, data []byte, lines map[int64]string) {
	t.Helper()
	topic := topics.ForDirectory(filepath.Base(filepath.Dir(file)))
	n := 0
	var decoder recordbatch.Decoder
	for b, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{File: file}).Batches() {
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range decoder.Records(b) {
			if err != nil {
				t.Fatal(err)
			}
			got := contents(topic, b.IsControl(), r)
			if _, want, _ := strings.Cut(lines[r.Offset], "headerKeys: []"); got != want {
				t.Errorf("%s, offset %d:\ngot  %s\nwant %s", file, r.Offset, got, want)
			}
			n++
		}
	}
	if n != len(lines) {
		t.Errorf("%s: %d records, Kafka has %d", file, n, len(lines))
	}
	s[topic] += n
}

// contents is what the dump tool prints behind a record's metadata.
func contents(topic topics.Topic, control bool, r *recordbatch.Record) string {
	if control {
		c, err := recordbatch.ParseControl(r)
		if err != nil {
			return err.Error()
		}
		if c.IsEndTransaction {
			return fmt.Sprintf(" endTxnMarker: %v coordinatorEpoch: %d", c.Type, c.CoordinatorEpoch)
		}
		text, err := message.ControlText(nil, int16(c.Type), r.Value)
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	return decodedText(topic.DecodeRecord(r))
}

func decodedText(d *topics.Decoded) string {
	var b strings.Builder
	if key, ok := d.AppendKey(nil); ok {
		b.WriteString(" key: " + string(key))
	}
	if payload, ok := d.AppendPayload(nil); ok {
		b.WriteString(" payload: " + string(payload))
	}
	return b.String()
}

// recordLines are the record lines of a dump by offset.
func recordLines(dump []byte) map[int64]string {
	lines := map[int64]string{}
	for line := range strings.Lines(string(dump)) {
		var offset int64
		rest, ok := strings.CutPrefix(line, "| offset: ")
		for i := 0; ok && i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
			offset = offset*10 + int64(rest[i]-'0')
		}
		if ok {
			lines[offset] = strings.TrimSuffix(line, "\n")
		}
	}
	return lines
}
