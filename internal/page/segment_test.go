package page

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/lookup"
	"github.com/kafsck/kafsck/internal/simulate"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// readSegment reads a captured segment with its index.
func readSegment(t *testing.T, path string) *Segment {
	t.Helper()
	f, size, err := logdir.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	base := logdir.ParseName(filepath.Base(path)).BaseOffset
	s, err := ReadSegment(t.Context(), f, size, path, base)
	if err != nil {
		t.Fatal(err)
	}
	index, size, err := logdir.OpenFile(strings.TrimSuffix(path, ".log") + ".index")
	if err != nil {
		return s
	}
	defer index.Close()
	if err := s.ReadIndex(indexfile.NewOffsetReader(index, size, base)); err != nil {
		t.Fatal(err)
	}
	return s
}

// logOf is the path of a segment of a closed partition.
func logOf(t *testing.T, partition, name string) string {
	t.Helper()
	return filepath.Join(fixture.Segments(t), "kafka-4.4.0", "closed", partition, name+".log")
}

func written(t *testing.T, s *Segment, r *lookup.Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Write(&out, "test", r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// dataOf is the JSON in a page of a segment.
func dataOf(t *testing.T, html string) (d segmentData) {
	t.Helper()
	_, rest, ok := strings.Cut(html, `id="data">`)
	text, _, closed := strings.Cut(rest, "</script>")
	if !ok || !closed {
		t.Fatal("no data in the page")
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

var (
	policyPattern = regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`)
	scriptPattern = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	stylePattern  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	tagPattern    = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	inside        = regexp.MustCompile(` href="#part-\d+"`)
	foreign       = regexp.MustCompile(`(?i)\s(src|href|style|on[a-z]+)=|@import|url\(|https?:|//[a-z]+\.`)
)

// requireSelfContained checks that a page runs what its policy names, and asks
// for nothing else.
func requireSelfContained(t *testing.T, html string) {
	t.Helper()
	policy := policyPattern.FindStringSubmatch(html)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src &#39;none&#39;;") {
		t.Fatalf("policy %q", policy)
	}
	allowed := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1])
	for _, part := range []*regexp.Regexp{scriptPattern, stylePattern} {
		found := part.FindAllStringSubmatch(html, -1)
		if len(found) != 1 {
			t.Fatalf("%d parts of %s", len(found), part)
		}
		if !strings.Contains(allowed, hash(found[0][1])) {
			t.Errorf("the policy doesn't allow the page's own %s", part)
		}
	}
	text := scriptPattern.ReplaceAllString(stylePattern.ReplaceAllString(html, ""), "")
	for _, tag := range tagPattern.FindAllString(text, -1) {
		if m := foreign.FindString(inside.ReplaceAllString(tag, "")); m != "" {
			t.Errorf("the page has %q in %s", m, tag)
		}
	}
}

func TestSegmentPage(t *testing.T) {
	path := logOf(t, "codec-none-0", "00000000000000000000")
	s := readSegment(t, path)
	partition, err := lookup.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := partition.Lookup(t.Context(), lookup.Target{Offset: 3000}, lookup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	html := written(t, s, r)
	requireSelfContained(t, html)
	d := dataOf(t, html)
	if d.Group != 1 || d.Count != int(s.Batches) || *d.Target != 3000 || d.Index.Entries != 271 || len(d.Index.Odd) != 0 {
		t.Errorf("group %d, %d of %d batches, target %d, index %+v", d.Group, d.Count, s.Batches, *d.Target, d.Index)
	}
	for _, want := range []string{"It is in the batch at position 976745, offsets 2993 to 3000.", "reads 9 entries of the index and scans 1 batch", "<td>4\u202f096</td><td>137</td>"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(html, "ZgotmplZ") {
		t.Error("the template refused a value")
	}
}

// decodeItems is the reverse of encodeItems, as the page's script does it.
func decodeItems(t *testing.T, data []byte) (items []item) {
	t.Helper()
	r := bytes.NewReader(data)
	next := func() int64 {
		v, err := binary.ReadUvarint(r)
		if err != nil {
			t.Fatal(err)
		}
		return int64(v)
	}
	last, end := int64(-1), int64(0)
	var it item
	push := func(gap int64, hole int64, span int64) {
		it.first, it.last, it.hole = last+1+gap, last+1+gap+span, hole
		it.position = end + hole
		end, last = it.position+it.size, it.last
		items = append(items, it)
	}
	span := int64(0)
	for r.Len() > 0 {
		head := next()
		if head == 0 {
			for range next() {
				push(0, 0, span)
			}
			continue
		}
		it.size, span = head>>2, next()
		var gap, hole int64
		if head&1 != 0 {
			v, err := binary.ReadVarint(r)
			if err != nil {
				t.Fatal(err)
			}
			gap = v
		}
		if head&2 != 0 {
			hole = next()
		}
		push(gap, hole, span)
	}
	return items
}

func TestItemsAreReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var list thinned
	offset, position := int64(50), int64(0)
	for range 5000 {
		if random.IntN(10) == 0 {
			offset += random.Int64N(100)
		}
		if random.IntN(50) == 0 {
			position += random.Int64N(5000)
		}
		size := 70 + random.Int64N(3)*random.Int64N(400)
		list.add(position, simulate.Batch{Size: size, FirstOffset: offset, LastOffset: offset + size%7}, 10)
		offset, position = offset+size%7+1, position+size
	}
	list.add(position, simulate.Batch{Size: 99, FirstOffset: 3, LastOffset: 5}, 10) // offsets that go back
	got := decodeItems(t, encodeItems(list.items))
	for i := range got {
		got[i].batches = 1
	}
	if !slices.Equal(got, list.items) {
		t.Error("the items are not read back as they were written")
	}
}

// A large log with as much to say as there can be still makes a small page, in
// which sums and ends are right.
func TestLargeLogMakesSmallPage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	s := &Segment{File: strings.Repeat("long/", 200) + "00000000000000000000.log", Size: 1 << 30}
	for _, interval := range stops(s.Size) {
		s.Stops = append(s.Stops, simulate.Simulation{Rule: simulate.Rule{Interval: interval}, Entries: 1 << 40, ScanBytesMean: 1e9 / 3})
	}
	position, offset := int64(0), int64(0)
	var index []batchtest.IndexEntry
	for i := range 700_000 {
		size := 1000 + random.Int64N(1000)
		s.thinned.add(position, simulate.Batch{Size: size, FirstOffset: offset, LastOffset: offset + size}, 0)
		if i%3 == 1 {
			index = append(index, batchtest.IndexEntry{Offset: offset, Position: position})
		}
		position, offset = position+size, offset+size+1+int64(i%2)
		s.Batches++
	}
	bytesOfIndex := batchtest.AppendIndex(nil, 0, index...)
	if err := s.ReadIndex(indexfile.NewOffsetReader(bytes.NewReader(bytesOfIndex), int64(len(bytesOfIndex)), 0)); err != nil {
		t.Fatal(err)
	}
	html := written(t, s, nil)
	if len(html) > MaxBytes {
		t.Errorf("%d bytes", len(html))
	}
	d := dataOf(t, html)
	raw, err := base64.StdEncoding.DecodeString(d.Items)
	if err != nil {
		t.Fatal(err)
	}
	items := decodeItems(t, raw)
	last := items[len(items)-1]
	if d.Group < 2 || d.Count != len(items) || last.position+last.size != position || last.last != offset-2 {
		t.Errorf("group %d, %d items of %d, end %d of %d, last offset %d of %d", d.Group, d.Count, len(items), last.position+last.size, position, last.last, offset-2)
	}
	if !strings.Contains(html, "more than fit on a page") {
		t.Error("the page does not say that it is thinned")
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range hostileTexts {
		s := readSegment(t, logOf(t, "eight-0", "00000000000000000000"))
		s.File = name + "-0/00000000000000000000.log"
		html := written(t, s, nil)
		requireSelfContained(t, html)
		requireHarmless(t, html, name)
	}
}

// hostileTexts are names and contents that try to break out of a page.
var hostileTexts = []string{
	`<script>alert(1)</script>`, `</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`,
	`<!--<script>`, `]]></style></script><svg onload=alert(1)>`, `{{.Policy}}`, "javascript:alert(1)", "\u2028alert(1)\u202e", "a\x00b\xff\x1b[31m",
	`</pre></title><base href=//evil.example>`,
}

// requireHarmless checks that no markup of text got into a page.
func requireHarmless(t *testing.T, html, text string) {
	t.Helper()
	for _, bad := range []string{"<script>alert", "<img", "<svg onload", "<base", "onmouseover='", "\x00", "\x1b", "\u202e"} {
		if strings.Contains(html, bad) {
			t.Errorf("%q got %q into the page", text, bad)
		}
	}
}
