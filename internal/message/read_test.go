package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/message/messagetest"
)

func tables() map[string][]message.Schema {
	return map[string][]message.Schema{
		"offsets": message.Offsets(), "transactions": message.Transactions(), "shares": message.Shares(),
		"metadata": message.Metadata(), "tiers": message.Tiers(), "common": message.Common(),
	}
}

func schemaNamed(t testing.TB, name string) *message.Schema {
	t.Helper()
	for _, table := range tables() {
		for i := range table {
			if table[i].Name == name {
				return &table[i]
			}
		}
	}
	t.Fatalf("no schema %s", name)
	return nil
}

// What the tables say must hang together, whatever the schema files said.
func TestTables(t *testing.T) {
	n := 0
	for name, table := range tables() {
		for i := range table {
			s := &table[i]
			if s.Valid.End <= s.Valid.Begin || len(s.Fields) == 0 && s.Name != "NoOpRecord" && s.Name != "EndTransactionRecord" {
				t.Errorf("%s: %s has no versions or no fields", name, s.Name)
			}
			checkFields(t, s, s.Fields)
			n++
		}
	}
	if n < 80 {
		t.Errorf("only %d schemas", n)
	}
}

func checkFields(t *testing.T, s *message.Schema, fields []message.Field) {
	tags := map[uint32]bool{}
	for i := range fields {
		f := &fields[i]
		if f.Kind == 0 || f.In == (message.Versions{}) || (f.Kind == message.Object) != (len(f.Fields) > 0) {
			t.Errorf("%s.%s: %+v", s.Name, f.Name, f)
		}
		if f.Tagged != (message.Versions{}) {
			if tags[f.Tag] {
				t.Errorf("%s.%s: tag %d twice", s.Name, f.Name, f.Tag)
			}
			tags[f.Tag] = true
		}
		for v := s.Valid.Begin; v < s.Valid.End; v++ {
			if f.Tagged.Has(int16(v)) && !s.Flexible.Has(int16(v)) {
				t.Errorf("%s.%s: tagged in version %d, which has no tags", s.Name, f.Name, v)
			}
		}
		checkFields(t, s, f.Fields)
	}
}

// A message of every schema and version is read to its last byte, and cut
// anywhere it is not read.
func TestReadGenerated(t *testing.T) {
	g := messagetest.Generator{Rand: rand.New(rand.NewPCG(7, 7))}
	for _, table := range tables() {
		for i := range table {
			s := &table[i]
			for v := s.Valid.Begin; v < s.Valid.End; v++ {
				for range 8 {
					b := g.Message(nil, s, int16(v))
					m, n, err := s.Read(append(b, 0xaa), int16(v))
					if err != nil || n != len(b) {
						t.Fatalf("%s version %d: read %d of %d bytes, %v\n%x", s.Name, v, n, len(b), err, b)
					}
					if text := m.AppendJSON(nil); !json.Valid(text) {
						t.Fatalf("%s version %d: not JSON: %s", s.Name, v, text)
					}
					for cut := range b {
						if _, n, err := s.Read(b[:cut], int16(v)); err == nil {
							t.Fatalf("%s version %d: read %d bytes of %d of %d", s.Name, v, n, cut, len(b))
						}
					}
				}
			}
		}
	}
}

func TestReadVectors(t *testing.T) {
	const offsetCommit = `{"offset":42,"leaderEpoch":-1,"metadata":"","commitTimestamp":1600000000000`
	for _, c := range []struct {
		schema  string
		version int16
		bytes   string
		json    string
	}{
		{"TopicRecord", 0, "04 666f6f 00112233445566778899aabbccddeeff 00", `{"name":"foo","topicId":"ABEiM0RVZneImaq7zN3u_w"}`},
		{"NoOpRecord", 0, "00", `{}`},
		{"OffsetCommitKey", 0, "0001 67 0001 74 00000003", `{"group":"g","topic":"t","partition":3}`},
		{"OffsetCommitValue", 3, "000000000000002a ffffffff 0000 0000017487 6e8000", offsetCommit + `}`},
		{"OffsetCommitValue", 4, "000000000000002a ffffffff 01 0000017487 6e8000 00", offsetCommit + `}`},
		{"OffsetCommitValue", 4, "000000000000002a ffffffff 01 0000017487 6e8000 01 00 10 00112233445566778899aabbccddeeff",
			offsetCommit + `,"topicId":"ABEiM0RVZneImaq7zN3u_w"}`},
		{"TransactionLogKey", 0, "0002 7478", `{"transactionalId":"tx"}`},
		{"TransactionLogValue", 0, "0000000000001092 0001 0000ea60 01 00000001 0001 74 00000001 00000003 0000017487 6e8000 0000017487 6e8000",
			`{"producerId":4242,"producerEpoch":1,"transactionTimeoutMs":60000,"transactionStatus":1,"transactionPartitions":[{"topic":"t","partitionIds":[3]}],"transactionLastUpdateTimestampMs":1600000000000,"transactionStartTimestampMs":1600000000000}`},
	} {
		b := unhex(t, c.bytes)
		m, n, err := schemaNamed(t, c.schema).Read(b, c.version)
		if got := string(m.AppendJSON(nil)); err != nil || n != len(b) || got != c.json {
			t.Errorf("%s version %d: %d bytes, %v\ngot  %s\nwant %s", c.schema, c.version, n, err, got, c.json)
		}
	}
}

// A tagged field that the schema doesn't know stays as bytes.
func TestReadUnknownTag(t *testing.T) {
	b := unhex(t, "00 04 666f6f 00112233445566778899aabbccddeeff 01 63 03 0a0b0c")[1:]
	m, n, err := schemaNamed(t, "TopicRecord").Read(b, 0)
	if err != nil || n != len(b) || len(m.Unknown) != 1 || m.Unknown[0].Tag != 99 || string(m.Unknown[0].Data) != "\n\v\f" {
		t.Errorf("%d of %d bytes, %v, %v", n, len(b), m.Unknown, err)
	}
}

func TestReadPosition(t *testing.T) {
	_, _, err := schemaNamed(t, "OffsetCommitKey").Read([]byte("\x00\x01g\x00\x05t"), 0)
	var e *message.Error
	if !errors.As(err, &e) || e.Position != 5 || !strings.Contains(e.Error(), "only 1 byte(s) available") {
		t.Errorf("%v", err)
	}
}

// More values than a record can sensibly hold are refused, not gathered.
func TestReadTooLarge(t *testing.T) {
	s := schemaNamed(t, "StreamsGroupTargetAssignmentMemberValue") // three lists of objects
	var b []byte
	for range 3 {
		b = append(b, 0xa1, 0x8d, 0x06) // 100,000 of an empty string, a list of three, no tags
		for range 100_000 {
			b = append(b, 1, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0)
		}
	}
	_, _, err := s.Read(append(b, 0), 0)
	var e *message.Error
	if !errors.As(err, &e) || !e.TooLarge {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	var all []*message.Schema
	for _, name := range []string{"offsets", "transactions", "shares", "metadata", "tiers", "common"} {
		for i := range tables()[name] {
			all = append(all, &tables()[name][i])
		}
	}
	g := messagetest.Generator{Rand: rand.New(rand.NewPCG(1, 2))}
	for i, s := range all {
		v := int16(s.Valid.End - 1)
		f.Add(uint16(i), v, g.Message(nil, s, v))
	}
	f.Fuzz(func(t *testing.T, which uint16, version int16, b []byte) {
		s := all[int(which)%len(all)]
		m, n, err := s.Read(b, version)
		if n < 0 || n > len(b) {
			t.Fatalf("took %d of %d bytes", n, len(b))
		}
		// Nothing grows by what is claimed: each value but those of absent
		// fields took a byte; no type has more than two objects as defaults.
		values, objects := size(&m.Value)
		if objects > 3*(n+1) || values > n+objects*16 {
			t.Fatalf("%d values in %d objects from %d bytes", values, objects, n)
		}
		if err != nil {
			var e *message.Error
			if !errors.As(err, &e) || e.Position > len(b) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if text := m.AppendJSON(nil); !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		// Bytes behind the message change nothing.
		if _, again, err := s.Read(append(b[:n:n], 1, 2, 3), version); err == nil && again != n {
			t.Fatalf("took %d bytes, then %d", n, again)
		}
	})
}

func size(v *message.Value) (values, objects int) {
	values = 1
	if v.Kind == message.Object && !v.Array {
		objects++
	}
	if v.Nested == nil {
		return values, objects
	}
	for i := range v.Items {
		a, b := size(&v.Items[i])
		values, objects = values+a, objects+b
	}
	return values, objects
}

func ExampleSchema_Read() {
	topicRecord := &message.Metadata()[2]
	m, _, err := topicRecord.Read([]byte("\x04foo\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x00"), 0)
	fmt.Println(m.Get("name").Text(), string(m.AppendJSON(nil)), err)
	// Output: foo {"name":"foo","topicId":"AAECAwQFBgcICQoLDA0ODw"} <nil>
}
