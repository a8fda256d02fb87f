package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode"
)

var functions = template.FuncMap{
	"bytes":   BytesText,
	"number":  numberText,
	"mean":    func(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) },
	"visible": visible,
	"time":    func(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000 UTC") },
}

// BytesText is a size for people.
func BytesText(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	size, i := float64(n)/1024, 0
	for ; size >= 1024 && i < len(units)-1; i++ {
		size /= 1024
	}
	return fmt.Sprintf("%.1f %ciB", size, units[i])
}

// numberText parts a number into groups of three digits by thin spaces.
func numberText(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// visible makes letters visible that are not, or that change the direction of
// others.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != '\n' }
