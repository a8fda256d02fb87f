package recordbatch

import (
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

// capturedPayload is the compressed payload of a batch of a real segment.
type capturedPayload struct {
	codec   Codec
	magic   int8
	payload []byte
	records int // in the batch header; -1 for magic 0 and 1
}

// capturedPayloads cuts a sound segment into the payloads of its compressed
// batches. It knows just enough of the framing to need no other decoder.
func capturedPayloads(log []byte) (found []capturedPayload) {
	for len(log) >= 17 {
		size := int(int32(binary.BigEndian.Uint32(log[8:])))
		if size < 14 || len(log)-12 < size {
			break
		}
		batch := log[:12+size]
		log = log[12+size:]
		c := capturedPayload{magic: int8(batch[16]), records: -1}
		if c.magic == 2 {
			c.codec, c.payload = Codec(batch[22]&7), batch[61:]
			c.records = int(binary.BigEndian.Uint32(batch[57:]))
		} else {
			at := 18 // key length; magic 1 has a timestamp ahead of it
			if c.magic == 1 {
				at += 8
			}
			at += 4 + max(0, int(int32(binary.BigEndian.Uint32(batch[at:]))))
			c.codec, c.payload = Codec(batch[17]&7), batch[min(at+4, len(batch)):]
		}
		if c.codec != CodecNone {
			found = append(found, c)
		}
	}
	return found
}

// framedRecords counts the records, or the entries of a wrapper, that plain
// consists of; -1 if it does not end with one.
func framedRecords(magic int8, plain []byte) (n int) {
	for ; len(plain) > 0; n++ {
		var size int64
		if magic == 2 {
			length, head := binary.Varint(plain)
			size = length + int64(head)
		} else if len(plain) >= 12 {
			size = 12 + int64(binary.BigEndian.Uint32(plain[8:]))
		}
		if size <= 0 || size > int64(len(plain)) {
			return -1
		}
		plain = plain[size:]
	}
	return n
}

// Every compressed batch that the brokers and clients of the fixtures wrote
// decompresses to as many whole records as its header counts.
func TestDecompressCaptures(t *testing.T) {
	var d Decompressor
	seen := map[string]int{}
	err := filepath.WalkDir(fixture.Segments(t), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".log" {
			return err
		}
		log, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for i, c := range capturedPayloads(log) {
			if err := d.Reset(c.codec, c.magic, c.payload); err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(&d)
			n := framedRecords(c.magic, plain)
			if err != nil || n < 1 || c.records >= 0 && n != c.records {
				t.Errorf("%s, compressed batch %d, %v, magic %d: %d records of %d, %v", name, i, c.codec, c.magic, n, c.records, err)
			}
			seen[c.codec.String()+" "+string('0'+rune(c.magic))]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"gzip 0", "gzip 1", "gzip 2", "snappy 0", "snappy 1", "snappy 2", "lz4 0", "lz4 1", "lz4 2", "zstd 2"} {
		if seen[kind] == 0 {
			t.Errorf("no captured batch of %s", kind)
		}
	}
}
