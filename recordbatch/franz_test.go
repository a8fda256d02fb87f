package recordbatch

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafsck/kafsck/internal/fixture"
)

// franz-go is a second reader of the captured logs, for machines without
// Java. Two things are left out: v0 lz4 with the broken header checksum, which
// it refuses, and the times of v1 wrappers that a broker stamped, where it
// tells the inner messages' own.
func TestCapturedAsFranzReads(t *testing.T) {
	records, logs := 0, 0
	for p := range fixture.Partitions(t) {
		names, err := filepath.Glob(filepath.Join(p.Dir(t), "*.log"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range names {
			name := p.Rel + "/" + filepath.Base(path)
			data := fixture.ReadFile(t, name)
			ours, comparable := ourView(t, data)
			if !comparable {
				continue
			}
			response := kmsg.NewFetchResponseTopicPartition()
			response.RecordBatches = data
			fetched, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{KeepControlRecords: true, Offset: math.MinInt64},
				&response, kgo.DefaultDecompressor(), nil)
			if fetched.Err != nil {
				t.Fatalf("%s: franz-go: %v", name, fetched.Err)
			}
			if len(fetched.Records) != len(ours) {
				t.Fatalf("%s: %d records, franz-go has %d", name, len(ours), len(fetched.Records))
			}
			for i, r := range fetched.Records {
				time := int64(-1)
				if r.Attrs.TimestampType() >= 0 {
					time = r.Timestamp.UnixMilli()
				}
				theirs := fmt.Sprintf("%d %d %d %d %v %x %v %x", r.Offset, time, r.ProducerID, r.ProducerEpoch, r.Key != nil, r.Key, r.Value != nil, r.Value)
				for _, h := range r.Headers {
					theirs += fmt.Sprintf(" %q=%v %x", h.Key, h.Value != nil, h.Value)
				}
				if theirs != ours[i] {
					t.Fatalf("%s: record %d is\n%s\nfranz-go has\n%s", name, i, ours[i], theirs)
				}
			}
			records += len(ours)
			logs++
		}
	}
	if logs < 400 || records < 20000 {
		t.Fatalf("only %d logs, %d records", logs, records)
	}
}

func ourView(t *testing.T, data []byte) (records []string, comparable bool) {
	t.Helper()
	var decoder Decoder
	for b, err := range NewScanner(bytes.NewReader(data), int64(len(data)), Options{}).Batches() {
		if err != nil {
			t.Fatal(err)
		}
		if b.IsLegacy() && b.Codec() != CodecNone && (b.Magic == 0 && b.Codec() == CodecLZ4 || b.TimestampType() == LogAppendTime) {
			return nil, false
		}
		for r, err := range decoder.Records(b) {
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprintf("%d %d %d %d %v %x %v %x", r.Offset, r.Timestamp, b.ProducerID, b.ProducerEpoch, r.HasKey, r.Key, r.HasValue, r.Value)
			for h := range r.Headers() {
				text += fmt.Sprintf(" %q=%v %x", h.Key, h.HasValue, h.Value)
			}
			records = append(records, text)
		}
	}
	return records, true
}
