package triage

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/sanity"
)

func finding(code sanity.Code) *sanity.Finding {
	f := sanity.At(code, "orders-0/00000000000000000000.log")
	f.Position, f.EndPosition, f.Offset, f.LastOffset = 1234, 1302, 567, 580
	f.Detail = map[string]any{"count": 3}
	return &f
}

func baselineOf(t *testing.T, findings ...*sanity.Finding) *Baseline {
	t.Helper()
	var b []byte
	for _, f := range findings {
		b = append(f.AppendJSON(b), '\n')
	}
	b = append(b, `{"type":"summary","exit":3}`...)
	baseline, err := ReadBaseline(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return baseline
}

func TestJudge(t *testing.T) {
	warn, info, unread := finding(sanity.EpochDecreased), finding(sanity.OffsetGap), finding(sanity.IOError)
	damage := finding(sanity.BatchCRCMismatch)
	for _, c := range []struct {
		name  string
		rules Rules
		f     *sanity.Finding
		want  Verdict
	}{
		{"error at the default", Rules{FailOn: sanity.Error}, damage, Verdict{Shown: true, Fails: true}},
		{"warning at the default", Rules{FailOn: sanity.Error}, warn, Verdict{Shown: true}},
		{"warning at warning", Rules{FailOn: sanity.Warning}, warn, Verdict{Shown: true, Fails: true}},
		{"info at info", Rules{FailOn: sanity.Info}, info, Verdict{Shown: true, Fails: true}},
		{"info at warning", Rules{FailOn: sanity.Warning}, info, Verdict{Shown: true}},
		{"only it", Rules{FailOn: sanity.Error, Only: []sanity.Code{sanity.BatchCRCMismatch}}, damage, Verdict{Shown: true, Fails: true}},
		{"only another", Rules{FailOn: sanity.Error, Only: []sanity.Code{sanity.OffsetGap}}, damage, Verdict{}},
		{"ignored", Rules{FailOn: sanity.Error, Ignore: []sanity.Code{sanity.BatchCRCMismatch}}, damage, Verdict{}},
		{"ignoring wins", Rules{Only: []sanity.Code{sanity.BatchCRCMismatch}, Ignore: []sanity.Code{sanity.BatchCRCMismatch}}, damage, Verdict{}},
		{"unread with only another", Rules{FailOn: sanity.Error, Only: []sanity.Code{sanity.OffsetGap}}, unread, Verdict{Shown: true, Unchecked: true}},
		{"unread and ignored", Rules{FailOn: sanity.Error, Ignore: []sanity.Code{sanity.IOError}}, unread, Verdict{Unchecked: true}},
		{"known", Rules{FailOn: sanity.Error, Baseline: baselineOf(t, damage)}, damage, Verdict{Shown: true, Known: true}},
		{"not known", Rules{FailOn: sanity.Error, Baseline: baselineOf(t, warn)}, damage, Verdict{Shown: true, Fails: true}},
		{"unread is never known", Rules{FailOn: sanity.Error, Baseline: baselineOf(t, unread)}, unread, Verdict{Shown: true, Unchecked: true}},
	} {
		f := *c.f
		if got := c.rules.Judge(&f); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if marked := f.Detail["baseline"] == true; marked != c.want.Known {
			t.Errorf("%s: detail %v", c.name, f.Detail)
		}
		if c.f.Detail["baseline"] != nil {
			t.Fatalf("%s: the finding's own detail was changed", c.name)
		}
		if c.want.Shown {
			if got := c.rules.Fails(&f); got != (c.want.Fails || c.want.Unchecked) {
				t.Errorf("%s: Fails = %v", c.name, got)
			}
		}
	}
}

func TestExit(t *testing.T) {
	shown, hidden := Verdict{Shown: true}, Verdict{}
	fails, unread := Verdict{Shown: true, Fails: true}, Verdict{Unchecked: true}
	for _, c := range []struct {
		verdicts []Verdict
		want     int
	}{
		{nil, 0},
		{[]Verdict{shown, hidden}, 0},
		{[]Verdict{shown, fails}, 3},
		{[]Verdict{fails, unread, shown}, 1},
		{[]Verdict{unread}, 1},
		{[]Verdict{{Shown: true, Known: true}}, 0},
	} {
		var tally Tally
		for _, v := range c.verdicts {
			tally.Add(v)
		}
		if got := tally.Exit(); got != c.want {
			t.Errorf("%+v: exit %d, want %d", c.verdicts, got, c.want)
		}
	}
}

// A finding is known only at the same place, and only while it is no worse.
func TestBaselineMatches(t *testing.T) {
	b := baselineOf(t, finding(sanity.EpochDecreased))
	for name, c := range map[string]struct {
		change func(*sanity.Finding)
		known  bool
	}{
		"the same":          {func(*sanity.Finding) {}, true},
		"another message":   {func(f *sanity.Finding) { f.Message, f.Broker = "x", "y" }, true},
		"less bad":          {func(f *sanity.Finding) { f.Severity = sanity.Info }, true},
		"a shorter range":   {func(f *sanity.Finding) { f.EndPosition, f.LastOffset = 1300, 570 }, true},
		"the same path":     {func(f *sanity.Finding) { f.File = "./orders-0//00000000000000000000.log" }, true},
		"another code":      {func(f *sanity.Finding) { f.Code = sanity.EpochUnknown }, false},
		"another file":      {func(f *sanity.Finding) { f.File = "orders-1/00000000000000000000.log" }, false},
		"another position":  {func(f *sanity.Finding) { f.Position = 1235 }, false},
		"no position":       {func(f *sanity.Finding) { f.Position = -1 }, false},
		"another slot":      {func(f *sanity.Finding) { f.Slot = 0 }, false},
		"another offset":    {func(f *sanity.Finding) { f.Offset = 568 }, false},
		"worse":             {func(f *sanity.Finding) { f.Severity = sanity.Error }, false},
		"a longer range":    {func(f *sanity.Finding) { f.EndPosition = 1303 }, false},
		"more offsets":      {func(f *sanity.Finding) { f.LastOffset = 581 }, false},
		"more of them":      {func(f *sanity.Finding) { f.Detail = map[string]any{"count": int64(4)} }, false},
		"more slots of it":  {func(f *sanity.Finding) { f.Detail = map[string]any{"lastSlot": 4} }, false},
		"fewer, no details": {func(f *sanity.Finding) { f.Detail = nil }, true},
	} {
		f := finding(sanity.EpochDecreased)
		c.change(f)
		if got := b.Has(f); got != c.known {
			t.Errorf("%s: known %v, want %v", name, got, c.known)
		}
	}
}

// Two of the same place are known up to the worse of them.
func TestBaselineKeepsTheWorse(t *testing.T) {
	longer := finding(sanity.LogGarbage)
	longer.EndPosition = 5000
	for _, order := range [][]*sanity.Finding{{longer, finding(sanity.LogGarbage)}, {finding(sanity.LogGarbage), longer}} {
		b := baselineOf(t, order...)
		if len(b.known) != 1 || !b.Has(longer) {
			t.Errorf("%d kept, the longer is known: %v", len(b.known), b.Has(longer))
		}
	}
}

func TestBaselineSurvivesAnyName(t *testing.T) {
	for _, name := range []string{"a\nb", `q"uote`, "\x00", "日本", strings.Repeat("x", 100000)} {
		f := finding(sanity.LogGarbage)
		f.File, f.Message = name, name
		if !baselineOf(t, f).Has(f) {
			t.Errorf("%.20q isn't known again", name)
		}
	}
}

func TestReadBaselineRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":           {"", "neither a finding nor a summary"},
		"text":              {"kafsck: all is well\n", "line 1: no JSON object"},
		"other objects":     {`{"type":"batch"}` + "\n", "neither a finding nor a summary"},
		"an array":          {"[]\n", "line 1: no JSON object"},
		"two on a line":     {`{"type":"summary"}{"type":"summary"}`, "line 1: more than one"},
		"cut":               {`{"type":"summary"}` + "\n" + `{"type":"finding","co`, "line 2: no JSON object"},
		"no code":           {`{"type":"finding","severity":"error","file":"a"}`, "without code or file"},
		"no severity":       {`{"type":"finding","code":"log-garbage","file":"a"}`, "unknown severity"},
		"an endless line":   {`{"type":"` + strings.Repeat("x", maxLine) + `"}`, "line 1: "},
		"a fractional byte": {`{"type":"finding","code":"c","severity":"info","file":"a","position":1.5}`, "line 1: no JSON object"},
	} {
		if _, err := ReadBaseline(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	b, err := ReadBaseline(strings.NewReader("\n" + `{"type":"summary","exit":0}` + "\r\n\n"))
	if err != nil || len(b.known) != 0 {
		t.Errorf("a clean run is a baseline: %v, %d", err, len(b.known))
	}
}

// What is kept of a finding doesn't grow with what it says.
func TestBaselineIsBounded(t *testing.T) {
	const findings, said = 500, 20000
	text := strings.Repeat("m", said)
	r, w := make(chan []byte), &chanReader{}
	w.lines = r
	go func() {
		defer close(r)
		for i := range findings {
			f := finding(sanity.LogGarbage)
			f.Position, f.Message = int64(i), text
			r <- append(f.AppendJSON(nil), '\n')
		}
	}()
	before := heap()
	b, err := ReadBaseline(w)
	if err != nil || len(b.known) != findings {
		t.Fatalf("%d findings, %v", len(b.known), err)
	}
	if grown := int64(heap()) - int64(before); grown > findings*said/10 {
		t.Errorf("%d bytes are kept of %d findings of %d bytes", grown, findings, said)
	}
	runtime.KeepAlive(b)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

type chanReader struct {
	lines <-chan []byte
	rest  []byte
}

func (c *chanReader) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		next, ok := <-c.lines
		if !ok {
			return 0, io.EOF
		}
		c.rest = next
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func TestParseSeverity(t *testing.T) {
	for _, s := range []sanity.Severity{sanity.Info, sanity.Warning, sanity.Error} {
		if got, err := ParseSeverity(s.String()); got != s || err != nil {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, bad := range []string{"", "ERROR", "fatal", "errors"} {
		if _, err := ParseSeverity(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzReadBaseline(f *testing.F) {
	f.Add([]byte(`{"type":"summary"}`))
	f.Add(append(finding(sanity.LogGarbage).AppendJSON(nil), '\n'))
	f.Add([]byte("{\"type\":\"finding\",\"code\":\"c\",\"severity\":\"info\",\"file\":\"a\",\"detail\":{\"count\":1e400}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := ReadBaseline(strings.NewReader(string(text)))
		if err != nil {
			return
		}
		if len(b.known) > strings.Count(string(text), "\n")+1 {
			t.Errorf("%d findings in %d lines", len(b.known), strings.Count(string(text), "\n")+1)
		}
		// A line that is valid alone is valid in company.
		again, err := ReadBaseline(strings.NewReader(string(text) + "\n" + string(text)))
		if err != nil || len(again.known) != len(b.known) {
			t.Errorf("twice: %v", err)
		}
	})
}
