//go:build kafka

package topics_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/message/messagetest"
	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

var flags = map[topics.Topic]string{
	topics.ConsumerOffsets:   "--offsets-decoder",
	topics.TransactionState:  "--transaction-log-decoder",
	topics.ShareGroupState:   "--share-group-state-decoder",
	topics.ClusterMetadata:   "--cluster-metadata-decoder",
	topics.RemoteLogMetadata: "--remote-log-metadata-decoder",
}

const rounds uint64 = 6

// Records of every type and every version, sound, of versions and types that
// aren't known, and damaged, against Kafka's own dump tool.
func TestParityWithKafka(t *testing.T) {
	kafka := oracle.Open(t)
	for topic := topics.ConsumerOffsets; topic <= topics.RemoteLogMetadata; topic++ {
		t.Run(topic.String(), func(t *testing.T) {
			for round := range rounds {
				g := messagetest.Generator{Rand: rand.New(rand.NewPCG(uint64(topic), round))}
				compareWithKafka(t, kafka, topic, generate(g, topic))
			}
		})
	}
}

func compareWithKafka(t *testing.T, kafka *oracle.Client, topic topics.Topic, records []batchtest.Record) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "00000000000000000000.log")
	b := batchtest.NewBatch(0, 1600000000000, records...)
	if err := os.WriteFile(file, b.Append(nil), 0o644); err != nil {
		t.Fatal(err)
	}
	dump := kafka.Dump("--files", file, flags[topic])
	if dump.ExitStatus() != 0 {
		t.Fatalf("Kafka's tool fails: %s\n%v", dump.Stderr, dump)
	}
	// A string may hold a line break, so lines are found by their offsets.
	rest := dump.Stdout
	for i, r := range records {
		_, after, ok := strings.Cut(rest, fmt.Sprintf("| offset: %d CreateTime", i))
		if !ok {
			t.Fatalf("offset %d is not in Kafka's dump", i)
		}
		rest = after
		_, want, _ := strings.Cut(rest, "headerKeys: []")
		if next := strings.Index(want, fmt.Sprintf("\n| offset: %d CreateTime", i+1)); next >= 0 {
			want = want[:next]
		}
		got := sameFloats(decodedText(topic.Decode(int64(i), r.Key, r.Value)))
		if want = sameFloats(strings.TrimSuffix(want, "\n")); got != want {
			t.Errorf("offset %d, key %x, value %x:\ngot  %q\nwant %q", i, r.Key, r.Value, got, want)
		}
	}
}

// sameFloats writes the one float in these records in Go's way: before Java 19
// Double.toString gave now and then a digit too many.
func sameFloats(text string) string {
	return quotaValue.ReplaceAllStringFunc(text, func(m string) string {
		_, number, _ := strings.Cut(m, ":")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return m
		}
		return fmt.Sprintf(`"value":%g`, x)
	})
}

var quotaValue = regexp.MustCompile(`"value":-?[0-9][0-9.E-]*`)

// generate returns records of every type and version of a topic.
func generate(g messagetest.Generator, topic topics.Topic) []batchtest.Record {
	var records []batchtest.Record
	for _, r := range schemas(topic) {
		for v := int32(0); v < r.value.Valid.End+2; v++ {
			for range 6 {
				record := r.encode(g, int16(v))
				records = append(records, record, mutate(g, record))
			}
		}
		if r.key != nil {
			record := r.encode(g, 0)
			record.Value = nil
			records = append(records, record)
		}
	}
	records = append(records, odd(topic)...)
	for i := range records {
		records[i].OffsetDelta = int32(i)
	}
	return records
}

// recordSchemas are those of one type of record.
type recordSchemas struct{ key, value *message.Schema }

func schemas(topic topics.Topic) []recordSchemas {
	table := map[topics.Topic][]message.Schema{
		topics.ConsumerOffsets:   message.Offsets(),
		topics.TransactionState:  message.Transactions(),
		topics.ShareGroupState:   message.Shares(),
		topics.ClusterMetadata:   message.Metadata(),
		topics.RemoteLogMetadata: message.Tiers(),
	}[topic]
	var out []recordSchemas
	for i := range table {
		s := &table[i]
		if topic == topics.ClusterMetadata || topic == topics.RemoteLogMetadata {
			out = append(out, recordSchemas{value: s})
			continue
		}
		if name, ok := strings.CutSuffix(s.Name, "Value"); ok {
			out = append(out, recordSchemas{value: s})
			for j := range table {
				if table[j].Name == name+"Key" {
					out[len(out)-1].key = &table[j]
				}
			}
		}
	}
	return out
}

func (r recordSchemas) encode(g messagetest.Generator, version int16) batchtest.Record {
	if r.key == nil {
		value := binary.AppendUvarint([]byte{1}, uint64(r.value.Key))
		value = binary.AppendUvarint(value, uint64(version))
		return batchtest.Record{Value: g.Message(value, r.value, version)}
	}
	key := g.Message(binary.BigEndian.AppendUint16(nil, uint16(r.key.Key)), r.key, 0)
	value := binary.BigEndian.AppendUint16(nil, uint16(version))
	if r.value.Name == "GroupMetadataValue" {
		g.Blobs = consumerBlobs
	}
	return batchtest.Record{Key: key, Value: g.Message(value, r.value, version)}
}

// consumerBlobs gives the members of a group what consumers send.
func consumerBlobs(g messagetest.Generator) []byte {
	table := message.Common()
	s := &table[g.IntN(2)] // the schemas of the consumer protocol come first
	v := int16(g.IntN(7) - 1)
	return g.Message(binary.BigEndian.AppendUint16(nil, uint16(v)), s, v)
}

// mutate damages a key or a value.
func mutate(g messagetest.Generator, r batchtest.Record) batchtest.Record {
	if len(r.Key) > 0 && g.IntN(4) == 0 {
		r.Key = damage(g, r.Key)
	} else {
		r.Value = damage(g, r.Value)
	}
	return r
}

func damage(g messagetest.Generator, b []byte) []byte {
	b = append([]byte{}, b...)
	for range 1 + g.IntN(2) {
		switch at := g.IntN(len(b) + 1); {
		case g.IntN(4) == 0:
			b = b[:at]
		case g.IntN(5) == 0:
			b = append(b, byte(g.Uint32()))
		case at < len(b) && g.IntN(2) == 0:
			b[at] = []byte{0xff, 0x7f, 0x80, 0x00, 0x01}[g.IntN(5)]
		case at < len(b):
			b[at] = byte(g.Uint32())
		}
	}
	return b
}

// odd returns records that generate never makes.
func odd(topic topics.Topic) []batchtest.Record {
	var records []batchtest.Record
	if topic == topics.ClusterMetadata || topic == topics.RemoteLogMetadata {
		records = append(records, batchtest.Record{})
		for _, v := range []string{
			"", "\x00", "\x01", "\x02\x00\x00", "\x01\x63\x00", "\x01\x00\xff\xff\xff\xff\x0f", "\x01\x80\x80\x04\x00",
			"\x80\x80\x80\x80\x80", "\x01\xff\xff\xff\xff\x0f\x00", "\x01\x00\x80\x80\x02\x00",
		} {
			records = append(records, batchtest.Record{Value: []byte(v)})
		}
		return records
	}
	for _, k := range []string{"", "\x00", "\x00\x63", "\xff\xff", "\x00\x00"} {
		records = append(records, batchtest.Record{Key: []byte(k), Value: []byte("x")}, batchtest.Record{Key: []byte(k)})
	}
	for _, v := range []string{"", "\x00", "\xff\xff", "\x00\x63"} {
		for id := range byte(3) {
			key := append([]byte{0, id, 0, 1, 'g', 0, 1, 't'}, make([]byte, 20)...)
			records = append(records, batchtest.Record{Key: key, Value: []byte(v)})
		}
	}
	if topic == topics.ConsumerOffsets {
		for _, n := range []int{10_001, 1_000_001} { // claims that the bytes behind them bear out
			value := binary.AppendUvarint([]byte{0, 0}, uint64(n+1))
			key := []byte{0, 7, 0, 1, 'g', 0, 1, 'm'}
			records = append(records, batchtest.Record{Key: key, Value: append(value, make([]byte, n)...)})
			value = binary.AppendUvarint([]byte{0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0}, uint64(n))
			records = append(records, batchtest.Record{Key: []byte{0, 11, 0, 1, 'g'}, Value: append(value, make([]byte, 2*n)...)})
		}
	}
	return records
}

// Control records, also of versions that don't exist and cut ones. Kafka's
// tool ends where one can't be read, so each has a log of its own.
func TestControlParityWithKafka(t *testing.T) {
	kafka := oracle.Open(t)
	g := messagetest.Generator{Rand: rand.New(rand.NewPCG(1, 1))}
	ids := map[string]int16{"LeaderChangeMessage": 2, "SnapshotHeaderRecord": 3, "SnapshotFooterRecord": 4, "KRaftVersionRecord": 5, "VotersRecord": 6}
	for _, s := range message.Common() {
		id, ok := ids[s.Name]
		for i := range 12 {
			if !ok {
				break
			}
			value := g.Message(nil, &s, 0)
			binary.BigEndian.PutUint16(value, uint16(max(0, i-8)))
			if i > 3 && i < 8 {
				value = damage(g, value)
			}
			compareControl(t, kafka, id, value)
		}
	}
	compareControl(t, kafka, 7, nil)
	compareControl(t, kafka, -3, []byte{1})
}

func compareControl(t *testing.T, kafka *oracle.Client, id int16, value []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "00000000000000000000.log")
	batch := batchtest.ControlBatch(0, 1600000000000, batchtest.ControlRecord(id, value))
	if err := os.WriteFile(file, batch.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	dump := kafka.Dump("--files", file, "--deep-iteration")
	_, want, _ := strings.Cut(dump.Stdout, "headerKeys: []")
	got, err := message.ControlText(nil, id, value)
	if want = strings.TrimSuffix(want, "\n"); string(got) != want || (err == nil) != (dump.ExitStatus() == 0) {
		t.Errorf("type %d, value %x:\ngot  %s, %v\nwant %s, exit %d", id, value, got, err, want, dump.ExitStatus())
	}
}
