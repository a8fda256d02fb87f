package similar

import (
	"slices"
	"testing"
)

func TestTo(t *testing.T) {
	names := []string{"dump", "index", "lookup", "rebuild-index", "sanity-check"}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"dmp", []string{"dump"}},
		{"DUMP ", []string{"dump"}},
		{"sanity", []string{"sanity-check"}},
		{"index", []string{"index", "rebuild-index"}},
		{"", nil},
		{"frobnicate", nil},
	} {
		if got := To(tt.name, names); !slices.Equal(got, tt.want) {
			t.Errorf("To(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestQuestion(t *testing.T) {
	for _, tt := range []struct {
		found []string
		want  string
	}{
		{nil, "; none"}, {[]string{"a"}, "; is it a?"}, {[]string{"a", "b"}, "; is it a or b?"}, {[]string{"a", "b", "c"}, "; is it a, b or c?"},
	} {
		if got := Question(tt.found, "; none"); got != tt.want {
			t.Errorf("Question(%q) = %q, want %q", tt.found, got, tt.want)
		}
	}
}
