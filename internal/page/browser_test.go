//go:build browser

package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/lookup"
	"github.com/kafsck/kafsck/internal/simulate"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// browse opens a file in headless Chromium and returns its document as it is
// after the scripts ran. Whatever is said on the console is an error.
func browse(t *testing.T, file, fragment string, flags ...string) string {
	t.Helper()
	url := "file://" + file
	if fragment != "" {
		url += "#" + fragment
	}
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + t.TempDir(),
		"--window-size=1600,1000", "--enable-logging=stderr", "--dump-dom",
	}, append(flags, url)...)
	command := exec.CommandContext(t.Context(), "chromium", args...)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	command.WaitDelay = 10 * time.Second
	if err := command.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, said.String())
	}
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("%s: %s", url, line)
		}
	}
	return out.String()
}

var resultPattern = regexp.MustCompile(`(?s)<pre id="result"[^>]*>(.*?)</pre>`)

// segmentResult is what the page of a segment worked out.
type segmentResult struct {
	Entries, IndexBytes                         int64
	ScanBytesMean, EntriesReadMean              float64
	ScanBytesP99, ScanBytesMax, ScanBatchesMax  int64
	EntriesRead                                 []int
	WarmSection                                 bool
	Slot                                        int
	StartPosition, BatchesScanned, BytesScanned int64
	BatchPosition                               *int64
	Width, Wide                                 int64
	Requests                                    int
	Ready                                       float64 // ms since the page was asked for
}

func resultOf(t *testing.T, document string, into any) {
	t.Helper()
	m := resultPattern.FindStringSubmatch(document)
	if m == nil || m[1] == "" {
		t.Fatal("the page worked nothing out")
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), into); err != nil {
		t.Fatal(err)
	}
}

func pageFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// The slider's numbers are those of package simulate.
func TestSliderEqualsSimulate(t *testing.T) {
	for _, c := range []struct {
		log       string
		intervals []int64
	}{
		{logOf(t, "codec-none-0", "00000000000000003201"), []int64{0, 4096, 65536}},
		{logOf(t, "many-0", "00000000000000000450"), []int64{0, 512}},
		{logOf(t, "txn-0", "00000000000000000010"), []int64{1024}},
	} {
		s := readSegment(t, c.log)
		file := pageFile(t, written(t, s, nil))
		for _, interval := range c.intervals {
			i := slices.IndexFunc(s.Stops, func(x simulate.Simulation) bool { return x.Interval == interval })
			if i < 0 {
				t.Fatalf("no stop at %d", interval)
			}
			var got segmentResult
			resultOf(t, browse(t, file, fmt.Sprintf("interval=%d", interval)), &got)
			want := s.Stops[i]
			if got.Entries != want.Entries || got.IndexBytes != want.IndexBytes || got.ScanBytesMean != want.ScanBytesMean ||
				got.ScanBytesP99 != want.ScanBytesP99 || got.ScanBytesMax != want.ScanBytesMax ||
				got.ScanBatchesMax != want.ScanBatchesMax || got.EntriesReadMean != want.EntriesReadMean {
				t.Errorf("%s, interval %d: the page has %+v, simulate %+v", c.log, interval, got, want)
			}
			if got.Requests != 0 || got.Width > got.Wide {
				t.Errorf("%d requests; %d wide in a window of %d", got.Requests, got.Width, got.Wide)
			}
		}
	}
}

// A lookup in the page reads what a lookup of the command reads, and lands
// where it does.
func TestPageLandsWhereLookupDoes(t *testing.T) {
	for _, c := range []struct {
		log     string
		offsets []int64
	}{
		{logOf(t, "codec-none-0", "00000000000000000000"), []int64{0, 3000, 3200}},
		{logOf(t, "full-index-0", "00000000000000000000"), []int64{17}},
		{logOf(t, "codec-none-0", "00000000000000003201"), []int64{5001, 9_000_000_000_000_000_000}},
	} {
		partition, err := lookup.Open(c.log)
		if err != nil {
			t.Fatal(err)
		}
		file := pageFile(t, written(t, readSegment(t, c.log), nil))
		for _, offset := range c.offsets {
			r, err := partition.Lookup(t.Context(), lookup.Target{Offset: offset}, lookup.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got segmentResult
			resultOf(t, browse(t, file, "offset="+strconv.FormatInt(offset, 10)), &got)
			w := &r.Walks[0]
			var read []int
			for _, e := range w.Offset.Read {
				read = append(read, e.Slot)
			}
			if !slices.Equal(got.EntriesRead, read) || got.WarmSection != w.Offset.Warm || got.Slot != w.Offset.Slot ||
				got.StartPosition != w.StartPosition || got.BatchesScanned != int64(w.Batches) || got.BytesScanned != w.Bytes() {
				t.Errorf("%s, offset %d: the page has %+v, lookup read %v and scanned %d batches, %d bytes from %d", c.log, offset, got, read, w.Batches, w.Bytes(), w.StartPosition)
			}
			if (got.BatchPosition == nil) != (r.Found == nil) || r.Found != nil && *got.BatchPosition != r.Found.BatchPosition {
				t.Errorf("%s, offset %d: landed at %v, lookup at %+v", c.log, offset, got.BatchPosition, r.Found)
			}
		}
	}
}

// A click, a key, a typed offset and the slider do what the lookup and the
// simulation do.
func TestReaderActs(t *testing.T) {
	path := logOf(t, "codec-none-0", "00000000000000000000")
	s := readSegment(t, path)
	partition, err := lookup.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := partition.Lookup(t.Context(), lookup.Target{Offset: 2995}, lookup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop := slices.IndexFunc(s.Stops, func(x simulate.Simulation) bool { return x.Interval == 4096 })
	outer := pageFile(t, fmt.Sprintf(`<iframe id="f" width="1500" height="3000" src="file://%s"></iframe><pre id="result"></pre>
<script>document.getElementById("f").onload = (e) => {
  const d = e.target.contentWindow.document, w = e.target.contentWindow, all = [];
  const act = (id, event) => { d.getElementById(id).dispatchEvent(event); all.push(JSON.parse(d.getElementById("result").textContent)); };
  const box = d.getElementById("log").getBoundingClientRect();
  act("log", new w.MouseEvent("click", { clientX: box.left + box.width * %d / %d, clientY: box.top + 20 }));
  act("log", new w.KeyboardEvent("keydown", { key: "ArrowRight" }));
  d.getElementById("offset").value = "2995";
  act("offset", new w.Event("input"));
  d.getElementById("interval").value = "%d";
  act("interval", new w.Event("input"));
  act("asis", new w.MouseEvent("click"));
  document.getElementById("result").textContent = JSON.stringify(all);
};</script>`, pageFile(t, written(t, s, nil)), r.Found.BatchPosition+r.Found.BatchSize/2, s.Size, stop))
	var got []segmentResult
	resultOf(t, browse(t, outer, "", "--allow-file-access-from-files"), &got)
	if len(got) != 5 {
		t.Fatalf("%d results", len(got))
	}
	for i, want := range []int64{r.Found.BatchPosition, r.Found.BatchPosition + r.Found.BatchSize, r.Found.BatchPosition, r.Found.BatchPosition, r.Found.BatchPosition} {
		if got[i].BatchPosition == nil || *got[i].BatchPosition != want {
			t.Errorf("act %d landed at %v, want %d", i, got[i].BatchPosition, want)
		}
	}
	if got[3].Entries != s.Stops[stop].Entries || got[3].ScanBytesMean != s.Stops[stop].ScanBytesMean {
		t.Errorf("the slider gave %+v, simulate %+v", got[3], s.Stops[stop])
	}
	if w := &r.Walks[0]; got[2].BytesScanned != w.Bytes() || got[4].BytesScanned != w.Bytes() || len(got[4].EntriesRead) != len(w.Offset.Read) {
		t.Errorf("typed %+v, on disk again %+v; lookup scanned %d", got[2], got[4], w.Bytes())
	}
}

// A page of a 1 GB segment has all of its batches, and is there within two
// seconds by its own clock; that depends on the machine and is only told.
func TestLargeSegmentOpensSoon(t *testing.T) {
	log := batchtest.Uniform(1<<30, 1<<14, 0)
	uniform, err := ReadSegment(t.Context(), log, log.Size(), "00000000000000000000.log", 0)
	if err != nil {
		t.Fatal(err)
	}
	// Batches of one size take little of a page; these take as much as they can.
	random := rand.New(rand.NewPCG(5, 6))
	varied := &Segment{File: "00000000000000000000.log", Size: 1 << 30, Stops: uniform.Stops}
	for position, offset := int64(0), int64(0); position < varied.Size-1<<15; varied.Batches++ {
		size, records := 70+random.Int64N(1<<15), random.Int64N(200)
		varied.thinned.add(position, simulate.Batch{Size: size, FirstOffset: offset, LastOffset: offset + records}, 0)
		position, offset = position+size, offset+records+1
	}
	for _, s := range []*Segment{uniform, varied} {
		content := written(t, s, nil)
		if len(content) > MaxBytes {
			t.Errorf("%d bytes", len(content))
		}
		var got segmentResult
		document := browse(t, pageFile(t, content), "interval=4096")
		resultOf(t, document, &got)
		t.Logf("%d batches, %d to an item, %d bytes of page: ready after %.0f ms", s.Batches, s.thinned.group, len(content), got.Ready)
		if got.Entries == 0 || got.Ready == 0 {
			t.Errorf("the page worked out %+v", got)
		}
	}
}

// On a phone nothing is wider than the screen.
func TestSegmentPageOnPhone(t *testing.T) {
	file := pageFile(t, written(t, readSegment(t, logOf(t, "codec-none-0", "00000000000000000000")), nil))
	requireNarrow(t, file)
}

// requireNarrow shows a page in a frame of 400 pixels, which is narrower than
// Chromium makes its windows.
func requireNarrow(t *testing.T, file string) {
	t.Helper()
	outer := pageFile(t, `<iframe id="f" width="400" height="800" src="file://`+file+`"></iframe><pre id="result"></pre>
<script>document.getElementById("f").onload = (e) => {
  const d = e.target.contentWindow.document.documentElement;
  document.getElementById("result").textContent = JSON.stringify({ Width: d.scrollWidth, Wide: d.clientWidth });
};</script>`)
	var got segmentResult
	resultOf(t, browse(t, outer, "", "--allow-file-access-from-files"), &got)
	if got.Wide == 0 || got.Wide > 400 || got.Width > got.Wide {
		t.Errorf("%d wide in a frame of %d", got.Width, got.Wide)
	}
}

// The page of an incident finds what is searched for, and hides the rest.
func TestSearchInIncident(t *testing.T) {
	file := pageFile(t, incidentText(t, damagedIncident("orders")))
	for fragment, want := range map[string]string{"": "batch-crc-mismatch file-leftover", "search=CRC+200": "batch-crc-mismatch", "search=orders-0": "batch-crc-mismatch file-leftover", "search=nowhere": ""} {
		document := browse(t, file, fragment)
		var shown []string
		for _, m := range notePattern.FindAllStringSubmatch(document, -1) {
			if !strings.Contains(m[1], "hidden") {
				shown = append(shown, m[2])
			}
		}
		if got := strings.Join(shown, " "); got != want {
			t.Errorf("%q shows %q, want %q", fragment, got, want)
		}
		if strings.Contains(document, `role="search" hidden`) {
			t.Error("the search is hidden though there is a script")
		}
	}
	requireNarrow(t, file)
}

var notePattern = regexp.MustCompile(`(?s)<li class="note ([^>]*)>.*?<code>([^<]*)</code>`)

// Names and texts that try to break out are shown, and nothing of them runs:
// browse complains of anything on the console.
func TestHostilePagesInBrowser(t *testing.T) {
	text := strings.Join(hostileTexts, " ")
	document := browse(t, pageFile(t, incidentText(t, damagedIncident(text))), "")
	if strings.Count(document, "<script") != 1 || !strings.Contains(document, "&lt;script&gt;alert(1)") {
		t.Error("the text of a name became markup, or isn't shown")
	}
	s := readSegment(t, logOf(t, "eight-0", "00000000000000000000"))
	s.File = text
	if document := browse(t, pageFile(t, written(t, s, nil)), ""); strings.Count(document, "<script") != 2 {
		t.Error("the name of a file became markup")
	}
}

// Offsets and sizes that no broker would write stop no script.
func TestPageOfNonsenseRuns(t *testing.T) {
	s := &Segment{File: "x", BaseOffset: 1 << 62, Size: 1 << 20, Stops: []simulate.Simulation{{}}}
	for i, first := range []int64{math.MaxInt64 - 3, -5, 0, math.MinInt64, 7} {
		s.thinned.add(int64(i)*1000, simulate.Batch{Size: 500, FirstOffset: first, LastOffset: first + 2 - int64(i)}, s.BaseOffset)
	}
	s.Batches = 5
	file := pageFile(t, written(t, s, nil))
	for _, fragment := range []string{"", "offset=0", "offset=9223372036854775807&interval=0", "offset=x&interval=-1"} {
		var got segmentResult
		resultOf(t, browse(t, file, fragment), &got)
	}
}
