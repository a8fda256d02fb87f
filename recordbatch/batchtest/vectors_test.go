package batchtest

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ts is the timestamp of the vectors.
const ts = 1600000000000

// vectors are batches spelt out byte by byte. They were computed apart from
// this package, with checksums from the Java library and frames opened by the
// command line tools of each codec.
func vectors() []vector {
	stored := Compression{Stored: true}
	one := NewBatch(0, ts, KV("k", "v"))
	return []vector{
		{"one record", one,
			"00 00 00 00 00 00 00 00 00 00 00 3a 00 00 00 00 02 1d 10 83 af 00 00 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 01 10 00 00 00 02 6b 02 76 00"},
		{"compacted, headers, null key, tombstone", compacted(),
			"00 00 00 00 00 00 00 64 00 00 00 48 00 00 00 05 02 16 00 b7 05 00 00 00 " +
				"00 00 02 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 07 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 02 1c 00 00 00 01 02 61 04 02 68 02 " +
				"31 02 6e 01 0e 00 0e 04 02 6b 01 00"},
		{"emptied", EmptyBatch(50, 9, ts).WithEpoch(3).WithAttributes(AttrTransactional).WithProducer(4242, 1, 20),
			"00 00 00 00 00 00 00 32 00 00 00 31 00 00 00 03 02 82 21 8f 60 00 10 00 " +
				"00 00 09 ff ff ff ff ff ff ff ff 00 00 01 74 87 6e 80 00 00 00 00 00 00 " +
				"00 10 92 00 01 00 00 00 14 00 00 00 00"},
		{"commit marker", Marker(7, ts, 4242, 1, true, 15).WithEpoch(2),
			"00 00 00 00 00 00 00 07 00 00 00 42 00 00 00 02 02 50 56 d0 fa 00 30 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 00 00 00 00 00 " +
				"00 10 92 00 01 ff ff ff ff 00 00 00 01 20 00 00 00 08 00 00 00 01 0c 00 " +
				"00 00 00 00 0f 00"},
		{"abort marker", Marker(8, ts, 4242, 1, false, 15).WithEpoch(2),
			"00 00 00 00 00 00 00 08 00 00 00 42 00 00 00 02 02 a4 68 06 b2 00 30 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 00 00 00 00 00 " +
				"00 10 92 00 01 ff ff ff ff 00 00 00 01 20 00 00 00 08 00 00 00 00 0c 00 " +
				"00 00 00 00 0f 00"},
		{"log append time", stamped(),
			"00 00 00 00 00 00 00 0a 00 00 00 41 00 00 00 00 02 a9 9a 09 7e 00 08 00 " +
				"00 00 01 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 93 88 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 02 0e 00 00 00 01 02 78 00 0e 00 06 " +
				"02 01 02 79 00"},
		{"delete horizon", NewBatch(20, ts, Record{Key: []byte("k")}).WithEpoch(1).WithAttributes(AttrTransactional).
			WithProducer(4242, 1, 0).WithDeleteHorizon(ts + 86400000),
			"00 00 00 00 00 00 00 14 00 00 00 3c 00 00 00 01 02 ba 32 0a 3a 00 50 00 " +
				"00 00 00 00 00 01 74 8c 94 dc 00 00 00 01 74 87 6e 80 00 00 00 00 00 00 " +
				"00 10 92 00 01 00 00 00 00 00 00 00 01 14 00 ff ef b2 52 00 02 6b 01 00"},
		{"v0 message", V0(3, []byte("k"), []byte("v")),
			"00 00 00 00 00 00 00 03 00 00 00 10 1f ec d7 0a 00 00 00 00 00 01 6b 00 " +
				"00 00 01 76"},
		{"v1 message", V1(3, ts, []byte("k"), []byte("v")),
			"00 00 00 00 00 00 00 03 00 00 00 18 5e af 63 dc 01 00 00 00 01 74 87 6e " +
				"80 00 00 00 00 01 6b 00 00 00 01 76"},
		{"v1 message stamped, null key", Message{Offset: 3, Magic: 1, Attributes: AttrLogAppendTime, Timestamp: ts, Value: []byte("v")},
			"00 00 00 00 00 00 00 03 00 00 00 17 82 93 a7 52 01 08 00 00 01 74 87 6e " +
				"80 00 ff ff ff ff 00 00 00 01 76"},
		{"v1 gzip wrapper", NewWrapper(1, Gzip, stored, V1(10, ts, []byte("a"), []byte("1")), V1(11, ts+1, []byte("b"), []byte("2"))),
			"00 00 00 00 00 00 00 0b 00 00 00 75 36 2b 21 a8 01 01 00 00 01 74 87 6e " +
				"80 01 ff ff ff ff 00 00 00 5f 1f 8b 08 00 00 00 00 00 00 00 01 48 00 b7 " +
				"ff 00 00 00 00 00 00 00 00 00 00 00 18 17 8c 94 89 01 00 00 00 01 74 87 " +
				"6e 80 00 00 00 00 01 61 00 00 00 01 31 00 00 00 00 00 00 00 01 00 00 00 " +
				"18 c9 9f 68 5d 01 00 00 00 01 74 87 6e 80 01 00 00 00 01 62 00 00 00 01 " +
				"32 c6 f1 69 4e 48 00 00 00"},
		{"snappy xerial", one.WithCodec(Snappy, stored),
			"00 00 00 00 00 00 00 00 00 00 00 50 00 00 00 00 02 ad 61 77 7f 00 02 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 01 82 53 4e 41 50 50 59 00 00 00 00 " +
				"01 00 00 00 01 00 00 00 0b 09 20 10 00 00 00 02 6b 02 76 00"},
		{"snappy raw", one.WithCodec(Snappy, Compression{Stored: true, SnappyRaw: true}),
			"00 00 00 00 00 00 00 00 00 00 00 3c 00 00 00 00 02 e7 42 14 42 00 02 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 01 09 20 10 00 00 00 02 6b 02 76 00"},
		{"lz4", one.WithCodec(Lz4, stored),
			"00 00 00 00 00 00 00 00 00 00 00 49 00 00 00 00 02 44 8d a7 ed 00 03 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 01 04 22 4d 18 60 40 82 09 00 00 80 " +
				"10 00 00 00 02 6b 02 76 00 00 00 00 00"},
		{"zstd", one.WithCodec(Zstd, stored),
			"00 00 00 00 00 00 00 00 00 00 00 43 00 00 00 00 02 98 58 73 1a 00 04 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 01 28 b5 2f fd 00 58 49 00 00 10 00 " +
				"00 00 02 6b 02 76 00"},
		{"gzip", one.WithCodec(Gzip, stored),
			"00 00 00 00 00 00 00 00 00 00 00 51 00 00 00 00 02 8b 70 0d 4a 00 01 00 " +
				"00 00 00 00 00 01 74 87 6e 80 00 00 00 01 74 87 6e 80 00 ff ff ff ff ff " +
				"ff ff ff ff ff ff ff ff ff 00 00 00 01 1f 8b 08 00 00 00 00 00 00 00 01 " +
				"09 00 f6 ff 10 00 00 00 02 6b 02 76 00 a3 7f cf a6 09 00 00 00"},
	}
}

type vector struct {
	name  string
	entry Entry
	hex   string
}

func compacted() Batch {
	return NewBatch(100, ts,
		Record{Value: []byte("a"), Headers: []Header{{"h", []byte("1")}, {"n", nil}}},
		Record{OffsetDelta: 2, TimestampDelta: 7, Key: []byte("k")},
	).WithEpoch(5)
}

func stamped() Batch {
	b := NewBatch(10, ts, Record{Value: []byte("x")}, Record{TimestampDelta: 3, Value: []byte("y")})
	b.MaxTimestamp = ts + 5000
	return b.WithAttributes(AttrLogAppendTime)
}

func TestVectors(t *testing.T) {
	for _, v := range vectors() {
		t.Run(v.name, func(t *testing.T) { wantBytes(t, v.entry.Append(nil), v.hex) })
	}
}

func TestIndexVectors(t *testing.T) {
	wantBytes(t, AppendIndex(nil, 1000, IndexEntry{1041, 4123}, IndexEntry{1090, 8300}),
		"00 00 00 29 00 00 10 1b 00 00 00 5a 00 00 20 6c")
	wantBytes(t, AppendTimeIndex(nil, 1000, TimeEntry{ts, 1041}, TimeEntry{ts + 7, 1088}),
		"00 00 01 74 87 6e 80 00 00 00 00 29 00 00 01 74 87 6e 80 07 00 00 00 58")
	wantBytes(t, AppendTxnIndex(nil, AbortedTxn{0, 4242, 1028, 1030, 1031}),
		"00 00 00 00 00 00 00 00 10 92 00 00 00 00 00 00 04 04 00 00 00 00 00 00 "+
			"04 06 00 00 00 00 00 00 04 07")
}

func TestSnapshotVectors(t *testing.T) {
	wantBytes(t, Snapshot(ProducerEntry{4242, 1, 21, 29, 1, ts, 15, 28}),
		"00 01 35 57 d2 d9 00 00 00 01 00 00 00 00 00 00 10 92 00 01 00 00 00 15 "+
			"00 00 00 00 00 00 00 1d 00 00 00 01 00 00 01 74 87 6e 80 00 00 00 00 0f "+
			"00 00 00 00 00 00 00 1c")
	wantBytes(t, Snapshot(), "00 01 48 67 4b c7 00 00 00 00")
}

func TestControlValueVectors(t *testing.T) {
	wantBytes(t, SnapshotHeader(ts), "00 00 00 00 01 74 87 6e 80 00 00")
	wantBytes(t, SnapshotFooter(), "00 00 00")
	wantBytes(t, KRaftVersion(1), "00 00 00 01 00")
	wantBytes(t, LeaderChange(1, []int32{1, 2}, []int32{1}),
		"00 00 00 00 00 01 03 00 00 00 01 00 00 00 00 02 00 02 00 00 00 01 00 00")
}

func wantBytes(t *testing.T, got []byte, want string) {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(want, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, got); diff != "" {
		t.Errorf("bytes differ (-want +got):\n%s", diff)
	}
}
