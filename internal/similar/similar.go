// Package similar finds what somebody may have meant who mistyped a name.
package similar

import (
	"cmp"
	"slices"
	"strings"
)

// To returns the names that are close to name, the likeliest first; at most
// three, and none that is too far away. A part of a name is as good as a slip.
func To(name string, names []string) []string {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" || len(name) > 100 {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, n := range names {
		d := editDistance(name, n)
		if strings.Contains(n, name) {
			d = min(d, 2)
		}
		if d <= max(2, len(name)/3) {
			near = append(near, candidate{n, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var found []string
	for _, c := range near[:min(3, len(near))] {
		found = append(found, c.name)
	}
	return found
}

// Question is a hint to put behind a message: "; is it a, b or c?", or
// otherwise where nothing is similar.
func Question[S ~string](found []S, otherwise string) string {
	if len(found) == 0 {
		return otherwise
	}
	var b strings.Builder
	for i, name := range found {
		switch {
		case i == 0:
			b.WriteString("; is it ")
		case i == len(found)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String() + "?"
}

// editDistance counts the letters that have to be put in, taken out or changed
// to turn a into b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
