package indexfile

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The byte tables of doc.go are promises: their rows must follow one another
// without a gap and add up to the entry size, in words and in code.
func TestDocTables(t *testing.T) {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^//\t *(\d+) +(\d+)  \S`)
	head := regexp.MustCompile(`(\.\w+), (\d+) bytes an entry`)
	sums := map[string]int{}
	said := map[string]int{}
	suffix := ""
	for _, line := range strings.Split(string(src), "\n") {
		if m := head.FindStringSubmatch(line); m != nil {
			suffix = m[1]
			said[suffix], _ = strconv.Atoi(m[2])
		}
		if m := row.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1])
			size, _ := strconv.Atoi(m[2])
			if at != sums[suffix] {
				t.Errorf("%s: row at %d, but the rows before end at %d", suffix, at, sums[suffix])
			}
			sums[suffix] += size
		}
	}
	for _, k := range []Kind{Offset, Time, Txn} {
		if sums[k.Suffix()] != k.EntrySize() || said[k.Suffix()] != k.EntrySize() {
			t.Errorf("%s: rows add up to %d, text says %d, an entry has %d bytes", k.Suffix(), sums[k.Suffix()], said[k.Suffix()], k.EntrySize())
		}
	}
}

// Written by hand from the tables: every byte differs, so that a field read
// from a wrong place shows.
func TestParseByHand(t *testing.T) {
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(i + 1)
	}
	const base = 1 << 40
	if e, ok := ParseOffsetEntry(b, base); !ok || e != (OffsetEntry{base + 0x01020304, 0x01020304, 0x05060708}) {
		t.Errorf("offset entry: %+v %v", e, ok)
	}
	if e, ok := ParseTimeEntry(b, base); !ok || e != (TimeEntry{0x0102030405060708, base + 0x090a0b0c, 0x090a0b0c}) {
		t.Errorf("time entry: %+v %v", e, ok)
	}
	want := TxnEntry{0x0102, 0x030405060708090a, 0x0b0c0d0e0f101112, 0x131415161718191a, 0x1b1c1d1e1f202122}
	if e, ok := ParseTxnEntry(b); !ok || e != want {
		t.Errorf("txn entry: %+v %v", e, ok)
	}
	if _, ok := ParseOffsetEntry(b[:7], 0); ok {
		t.Error("offset entry of 7 bytes")
	}
	if _, ok := ParseTimeEntry(b[:11], 0); ok {
		t.Error("time entry of 11 bytes")
	}
	if _, ok := ParseTxnEntry(b[:33]); ok {
		t.Error("txn entry of 33 bytes")
	}
}
