package kafkaversion

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"4": "4.0.0", "4.4": "4.4.0", "3.9.1": "3.9.1", "0.10.2.2": "0.10.2.2", "0.9": "0.9.0.0",
		"": "", "x": "", "4.": "", "-1.2": "", "4.4.0.0.1": "", "4.4-rc1": "", "0.7.2": "", "99999999999.1": "",
	} {
		v, err := Parse(text)
		if (err == nil) != (want != "") || err == nil && v.String() != want {
			t.Errorf("%q: got %v, %v; want %q", text, v, err, want)
		}
	}
}

func TestBefore(t *testing.T) {
	order := []Version{{0, 8}, {0, 9, 0, 1}, {0, 10, 0, 1}, {0, 10, 2, 2}, {0, 11}, {1, 1, 1}, {2}, {2, 4}, {2, 4, 1}, {3, 9}, {4}, Latest}
	for i, a := range order {
		for j, b := range order {
			if got := a.Before(b[:]...); got != (i < j) {
				t.Errorf("%v before %v: %v", a, b, got)
			}
		}
	}
	if (Version{4, 4, 1}).Before(4, 4) || !(Version{4, 3, 9}).Before(4, 4) {
		t.Error("missing numbers count as 0")
	}
}

func TestName(t *testing.T) {
	for v, want := range map[Version]string{{4}: "4.0", {4, 4}: "4.4", {3, 6, 1}: "3.6.1", {0, 11}: "0.11", {0, 10, 2, 2}: "0.10.2.2", {0, 8, 2}: "0.8.2", {2, 0, 1}: "2.0.1"} {
		if got := v.Name(); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestRange(t *testing.T) {
	between := Range{From: Version{3, 5}, Until: Version{3, 8}}
	for _, c := range []struct {
		r       Range
		text    string
		has, no Version
	}{
		{Until(2, 3), "before 2.3", Version{2, 2, 2}, Version{2, 3}},
		{Since(0, 11), "since 0.11", Version{0, 11}, Version{0, 10, 2, 2}},
		{between, "3.5 to before 3.8", Version{3, 7, 2}, Version{3, 8}},
		{between, "3.5 to before 3.8", Version{3, 5}, Version{3, 4, 1}},
		{Range{From: Version{4}}, "since 4.0", Version{4, 4}, Version{3, 9, 9}},
	} {
		if !c.r.Has(c.has) || c.r.Has(c.no) || c.r.String() != c.text {
			t.Errorf("%v: has %v %v, has %v %v", c.r, c.has, c.r.Has(c.has), c.no, c.r.Has(c.no))
		}
	}
}
