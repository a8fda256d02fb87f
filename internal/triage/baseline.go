package triage

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/kafsck/kafsck/sanity"
)

// Baseline holds the findings of an earlier run, from its NDJSON.
//
// A finding is known if the earlier run had one of the same code in the same
// file, as reached from the argument, at the same position, slot and offset,
// and it has not become worse since: its severity is not higher, and the range
// and the count of what it stands for are not larger. What could not be checked
// is never known.
//
// It keeps some 80 bytes a finding, whatever the findings say.
type Baseline struct {
	known map[key]extent
}

// key is a digest of what makes two findings the same.
type key [16]byte

// extent is how bad a finding was.
type extent struct {
	severity                         sanity.Severity
	end, lastOffset, lastSlot, count int64
}

// maxLine bounds a line of a baseline. A finding is a few hundred bytes.
const maxLine = 1 << 20

// Has says whether a finding is known. A nil baseline knows none.
func (b *Baseline) Has(f *sanity.Finding) bool {
	if b == nil || f.Code.Unchecked() {
		return false
	}
	was, ok := b.known[keyOf(string(f.Code), f.File, f.Position, f.Slot, f.Offset)]
	return ok && !worse(extentOf(f), was)
}

// ReadBaseline reads the output of sanity-check --format json: one object a
// line, of which only the findings matter. The outputs of several runs may
// stand one after another. Anything that is not such an output is an error, so
// that a wrong file doesn't pass for an empty baseline.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{known: map[key]extent{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	n, objects := 0, 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		kind, err := b.add(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if kind == "finding" || kind == "summary" {
			objects++
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if objects == 0 {
		return nil, errors.New("holds neither a finding nor a summary: not the output of sanity-check --format json")
	}
	return b, nil
}

// line is what is used of an object of the output.
type line struct {
	Type        string
	Code        string
	Severity    string
	File        string
	Position    *int64
	EndPosition *int64
	Offset      *int64
	LastOffset  *int64
	Slot        *int64
	Detail      map[string]any
}

func (b *Baseline) add(text []byte) (kind string, err error) {
	var l line
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&l); err != nil {
		return "", fmt.Errorf("no JSON object: %w", err)
	}
	if decoder.More() {
		return "", errors.New("more than one JSON object")
	}
	if l.Type != "finding" {
		return l.Type, nil
	}
	if l.Code == "" || l.File == "" {
		return "", errors.New("a finding without code or file")
	}
	severity, err := ParseSeverity(l.Severity)
	if err != nil {
		return "", err
	}
	k := keyOf(l.Code, l.File, value(l.Position), value(l.Slot), value(l.Offset))
	e := extent{
		severity: severity, end: value(l.EndPosition), lastOffset: value(l.LastOffset),
		lastSlot: number(l.Detail["lastSlot"]), count: number(l.Detail["count"]),
	}
	if was, ok := b.known[k]; ok {
		e = extent{
			severity: max(e.severity, was.severity), end: max(e.end, was.end), lastOffset: max(e.lastOffset, was.lastOffset),
			lastSlot: max(e.lastSlot, was.lastSlot), count: max(e.count, was.count),
		}
	}
	b.known[k] = e
	return l.Type, nil
}

func extentOf(f *sanity.Finding) extent {
	return extent{
		severity: f.Severity, end: f.EndPosition, lastOffset: f.LastOffset,
		lastSlot: number(f.Detail["lastSlot"]), count: number(f.Detail["count"]),
	}
}

func worse(is, was extent) bool {
	return is.severity > was.severity || is.end > was.end || is.lastOffset > was.lastOffset ||
		is.lastSlot > was.lastSlot || is.count > was.count
}

// keyOf digests the parts, each ended by a zero so that none runs into the
// next.
func keyOf(code, file string, position, slot, offset int64) key {
	h := sha256.New()
	for _, s := range []string{code, filepath.ToSlash(filepath.Clean(file))} {
		_, _ = io.WriteString(h, s) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	for _, n := range []int64{position, slot, offset} {
		_, _ = h.Write(strconv.AppendInt(nil, n, 10))
		_, _ = h.Write([]byte{0})
	}
	return key(h.Sum(nil)[:16])
}

// value is −1, as in a finding, where JSON has null.
func value(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

// number reads an integer of a detail, from JSON or from a finding.
func number(v any) int64 {
	switch n := v.(type) {
	case json.Number:
		if i, err := n.Int64(); err == nil {
			return i
		}
	case int:
		return int64(n)
	case int32:
		return int64(n)
	case int64:
		return n
	}
	return -1
}
