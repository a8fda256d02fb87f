package topics_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
)

func FuzzDecode(f *testing.F) {
	for _, dir := range []string{
		"__consumer_offsets-0", "__consumer_offsets-1", "__transaction_state-1", "__share_group_state-1", "__cluster_metadata-0",
	} {
		data := fixture.ReadFile(f, "kafka-4.4.0/closed/"+dir+"/00000000000000000000.log")
		var decoder recordbatch.Decoder
		for b, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Batches() {
			if err != nil {
				f.Fatal(err)
			}
			for r := range decoder.Records(b) {
				if r.Offset%16 == 0 && !b.IsControl() {
					f.Add(uint8(topics.ForDirectory(dir)-1), bytes.Clone(r.Key), bytes.Clone(r.Value))
				}
			}
		}
	}
	f.Add(uint8(topics.RemoteLogMetadata-1), []byte(nil), []byte("\x01\x02\x00\x02t\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00"))
	f.Fuzz(func(t *testing.T, which uint8, key, value []byte) {
		topic := topics.ConsumerOffsets + topics.Topic(which)%topics.RemoteLogMetadata
		if topic >= topics.ClusterMetadata {
			key = nil
		}
		d := topic.Decode(7, key, value)
		text := d.AppendJSON(nil)
		var object struct {
			Type                       *string
			Key, Value                 any
			KeyEncoding, ValueEncoding string
			Error                      *string
		}
		if err := json.Unmarshal(text, &object); err != nil || object.Type == nil {
			t.Fatalf("%v: %s", err, text)
		}
		// Nothing is lost: what isn't decoded is there as bytes.
		if (object.Key == nil) != (key == nil) || (object.Value == nil) != (value == nil) {
			t.Fatalf("key %x, value %x: %s", key, value, text)
		}
		if (object.Error == nil) != (d.Err == nil) || (d.Err == nil) != (object.KeyEncoding+object.ValueEncoding == "") {
			t.Fatalf("%v: %s", d.Err, text)
		}
		keyText, hasKey := d.AppendKey(nil)
		payload, hasPayload := d.AppendPayload(nil)
		if !utf8.Valid(keyText) || !utf8.Valid(payload) || !hasKey && !hasPayload && key != nil {
			t.Fatalf("%q, %q", keyText, payload)
		}
	})
}
