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
