package recordbatch

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"strings"
	"testing"
)

// kafkaCase is a payload and what Kafka's own decompressor made of it.
type kafkaCase struct {
	codec    Codec
	magic    int8
	payload  []byte
	ok       bool
	size     int
	crc      string
	prefixes string // verdicts on the proper prefixes, or ""
}

func kafkaCases(t testing.TB) (cases []kafkaCase) {
	f, err := os.Open("testdata/codec_kafka.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	codecs := map[string]Codec{}
	for c := CodecNone; c.Valid(); c++ {
		codecs[c.String()] = c
	}
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		w := strings.Fields(s.Text())
		if len(w) != 7 {
			t.Fatalf("%q has %d fields", s.Text(), len(w))
		}
		c := kafkaCase{codec: codecs[w[0]], ok: w[3] == "ok", crc: w[5]}
		magic, err := strconv.ParseInt(w[1], 10, 8)
		if err != nil {
			t.Fatal(err)
		}
		c.magic = int8(magic)
		if c.payload, err = hex.DecodeString(strings.TrimPrefix(w[2], "0x")); err != nil {
			t.Fatal(err)
		}
		if c.ok {
			if c.size, err = strconv.Atoi(w[4]); err != nil {
				t.Fatal(err)
			}
		}
		if w[6] != "-" {
			c.prefixes = w[6]
		}
		cases = append(cases, c)
	}
	if len(cases) < 600 {
		t.Fatalf("only %d cases", len(cases))
	}
	return cases
}

// Sound, damaged and cut payloads are read, or refused, as Kafka does it.
func TestDecompressAsKafka(t *testing.T) {
	for _, c := range kafkaCases(t) {
		whole, err := decompress(c.codec, c.magic, c.payload)
		if (err == nil) != c.ok {
			t.Errorf("%v, magic %d, %x: %v, Kafka reads it: %v", c.codec, c.magic, c.payload, err, c.ok)
			continue
		}
		if err != nil && !errors.Is(err, ErrDecompress) {
			t.Errorf("%v %x: %v", c.codec, c.payload, err)
		}
		if crc := fmt.Sprintf("%08x", crc32.ChecksumIEEE(whole)); c.ok && (len(whole) != c.size || crc != c.crc) {
			t.Errorf("%v %x: %d bytes with CRC %s, Kafka reads %d with %s", c.codec, c.payload, len(whole), crc, c.size, c.crc)
		}
		for n, verdict := range []byte(c.prefixes) {
			part, err := decompress(c.codec, c.magic, c.payload[:n])
			if (err == nil) != (verdict == '.') {
				t.Errorf("%v, the first %d bytes of %x: %v, Kafka says %c", c.codec, n, c.payload, err, verdict)
			}
			if !bytes.HasPrefix(whole, part) {
				t.Errorf("%v, the first %d bytes of %x give bytes that the whole does not have", c.codec, n, c.payload)
			}
		}
	}
}
