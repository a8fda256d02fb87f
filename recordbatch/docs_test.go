package recordbatch

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The tables of docs/format.md that say so are those of the code.
func TestFormatDocumentIsTheCodes(t *testing.T) {
	data, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	document := string(data)
	for _, c := range []struct {
		under string
		magic int8
	}{
		{"*From the code:*", 2},
		{"*From the code, magic 0:*", 0},
		{"*From the code, magic 1:*", 1},
	} {
		_, after, ok := strings.Cut(document, c.under+"\n\n")
		if !ok {
			t.Fatalf("no %q", c.under)
		}
		got, _, _ := strings.Cut(after, "\n\n")
		want := "| byte | size | field |\n|---|---|---|"
		for _, f := range Layout(c.magic) {
			want += fmt.Sprintf("\n| %d | %d | %s |", f.Start, f.Size, f.Name)
		}
		if got != want {
			t.Errorf("under %q:\n%s\nwant\n%s", c.under, got, want)
		}
	}
}
