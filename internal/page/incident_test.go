package page

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func incidentText(t *testing.T, i *Incident) string {
	t.Helper()
	var out bytes.Buffer
	if err := i.Write(&out, "test"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// damagedIncident is a report on a damaged partition and on a sound one.
func damagedIncident(name string) *Incident {
	i := &Incident{Title: "kafsck " + name, Path: name, State: Damaged, Verdict: "The files are damaged: " + name, Facts: []string{name}, Next: name,
		Legend: Legend{Sound: "sound", Damaged: "damaged", Lost: "lost", Cut: "cut"}}
	i.Add(Part{Name: "sound-0", Logs: []Log{{Name: "0.log", Size: 100}}})
	i.Add(Part{Name: name + "-0", State: Damaged, Verdict: name, Facts: []string{name},
		Logs: []Log{{Name: name, Size: 300}, {Name: "2.log", Size: 600, Ranges: []Range{{From: 200, To: 600, Kind: RangeLost}, {From: 200, To: 300, Kind: RangeDamaged}}}, {Name: "3.log", Size: 100, Ranges: []Range{{To: 100, Kind: RangeCut}}}},
		Notes: []Note{
			{State: Noted, Word: "info", Code: "file-leftover", File: name, Text: name, Command: "kafsck explain file-leftover"},
			{State: Damaged, Word: "error", Code: "batch-crc-mismatch", Title: name, File: name + "/2.log", Place: "position 200 to 300", Text: name, Consequence: name, Do: name, Command: "kafsck recovery " + name},
		}})
	return i
}

func TestIncidentPage(t *testing.T) {
	html := incidentText(t, damagedIncident("orders"))
	requireSelfContained(t, html)
	order := []string{"<h1>The files are damaged", "kafsck recovery orders"}
	if a, b := strings.Index(html, order[0]), strings.Index(html, order[1]); a < 0 || b < a {
		t.Error("the verdict does not come first")
	}
	if a, b := strings.Index(html, "batch-crc-mismatch"), strings.Index(html, "file-leftover"); a < 0 || b < a {
		t.Error("the worst finding does not come first")
	}
	if a, b := strings.Index(html, "orders-0"), strings.Index(html, "sound-0"); a < 0 || b < a {
		t.Error("the worst partition does not come first")
	}
	for _, want := range []string{
		`position 200 to 300`, `<b>Consequence:</b> orders`, `<code class="command">kafsck recovery orders</code>`,
		`aria-label="3 segments, 1000 B in all; 2 of them not sound throughout."`, `<label for="query">`, `@media print`, `prefers-color-scheme: dark`,
		`<rect class="lost" x="500.00" y="9" width="400.00" height="10"><title>2.log, position 200 to 600: lost</title></rect>`,
		`<rect class="damaged" x="500.00" y="1" width="100.00" height="26">`, `<rect class="cut" x="900.00" y="11" width="100.00" height="6">`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	// Without the script nothing of it is hidden but the search.
	if hidden := regexp.MustCompile(`<\w+[^>]* hidden[ >]`).FindAllString(html, -1); len(hidden) != 1 || !strings.Contains(hidden[0], `id="search"`) {
		t.Errorf("hidden without script: %q", hidden)
	}
}

func TestHostileIncident(t *testing.T) {
	for _, text := range hostileTexts {
		html := incidentText(t, damagedIncident(text))
		requireSelfContained(t, html)
		requireHarmless(t, html, text)
	}
}

// However much is damaged, the page stays one that a browser opens, and memory
// does not grow with it.
func TestIncidentIsBounded(t *testing.T) {
	var i Incident
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := range 5_000 {
		p := Part{Name: fmt.Sprintf("orders-%d", n), State: State(n % 5)}
		for k := 0; k < 100 && p.State != Sound; k++ {
			p.Notes = append(p.Notes, Note{State: p.State, Word: "error", Code: "batch-crc-mismatch", File: p.Name, Text: fmt.Sprintf("finding %d", k)})
		}
		i.Add(p)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d bytes are held", grown)
	}
	html := incidentText(t, &i)
	if len(html) > 4<<20 {
		t.Errorf("%d bytes", len(html))
	}
	for _, want := range []string{"2100 more partitions have findings", "and 1000 more.", "40 more are left out"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestBarOfManyLogs(t *testing.T) {
	logs := make([]Log, 100_000)
	for i := range logs {
		logs[i] = Log{Name: "x.log", Size: 1 << 30}
	}
	logs[70_000].Ranges = []Range{{From: 5, To: 6, Kind: RangeDamaged}}
	b := newBar(logs)
	if len(b.Boxes) > 2500 {
		t.Errorf("%d boxes", len(b.Boxes))
	}
	last := b.Boxes[len(b.Boxes)-1]
	found := false
	for _, x := range b.Boxes {
		if x.X < 0 || x.X+x.Width > barWidth+1 {
			t.Errorf("a box leaves the bar: %+v", x)
		}
		if x.Class == "damaged" {
			found = x.X > 699.9 && x.X < 700.1
		}
	}
	if !found || last.X < 990 {
		t.Errorf("the damage is drawn: %v; the last box at %f", found, last.X)
	}
	// Sizes and positions that make no sense draw nothing outside.
	for _, x := range newBar([]Log{{Size: 10, Ranges: []Range{{From: -5, To: 1 << 60, Kind: RangeLost}, {From: 99, To: 3, Kind: RangeDamaged}}}, {Size: 0}}).Boxes {
		if x.X < 0 || x.X+x.Width > barWidth+1 || x.Width <= 0 {
			t.Errorf("a box leaves the bar: %+v", x)
		}
	}
}
