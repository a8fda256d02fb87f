package cmd

import "testing"

func TestWindowsQuote(t *testing.T) {
	for path, want := range map[string]string{
		`C:\kafka\logs\orders-0`:     `C:\kafka\logs\orders-0`,
		`\\?\C:\kafka\logs`:          `"\\?\C:\kafka\logs"`,
		`C:\Program Files\kafka-log`: `"C:\Program Files\kafka-log"`,
		``:                           `""`,
	} {
		if got := windowsQuote(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
