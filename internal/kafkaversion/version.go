// Package kafkaversion compares versions of Kafka, whose rules for files on
// disk changed from release to release.
package kafkaversion

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a release: 4.4.0, or 0.10.2.2 from the time when the second
// number counted major releases. Missing numbers are 0. The zero value is
// older than every release.
type Version [4]int

// Latest is the release whose rules hold where nobody says otherwise.
var Latest = Version{4, 4}

// Parse reads a version of two to four numbers, or of one ("4").
func Parse(text string) (Version, error) {
	var v Version
	parts := strings.Split(text, ".")
	if len(parts) > len(v) {
		return Version{}, fmt.Errorf("kafka version %q: more than %d numbers", text, len(v))
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return Version{}, fmt.Errorf("kafka version %q: want numbers as in 4.4 or 0.10.2.2", text)
		}
		v[i] = int(n)
	}
	if v.Before(0, 8) {
		return Version{}, fmt.Errorf("kafka version %q: logs of releases before 0.8 have another format", text)
	}
	return v, nil
}

// Before says whether v is an earlier release than the one given.
func (v Version) Before(numbers ...int) bool {
	for i, have := range v {
		want := 0
		if i < len(numbers) {
			want = numbers[i]
		}
		if have != want {
			return have < want
		}
	}
	return false
}

// String is the version as Kafka writes it.
func (v Version) String() string {
	if v[0] == 0 {
		return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3])
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// Name is the version as people say it: without the zeros at its end, but with
// two numbers at least. 2.3, 3.6.1, 0.11, 0.10.2.
func (v Version) Name() string {
	n := len(v)
	for n > 2 && v[n-1] == 0 {
		n--
	}
	name := strconv.Itoa(v[0])
	for _, number := range v[1:n] {
		name += "." + strconv.Itoa(number)
	}
	return name
}

// Range are the releases from From on and before Until. The zero value of
// either is no bound.
type Range struct{ From, Until Version }

// Since are the releases from one on.
func Since(numbers ...int) Range { return Range{From: versionOf(numbers)} }

// Until are the releases before one.
func Until(numbers ...int) Range { return Range{Until: versionOf(numbers)} }

func versionOf(numbers []int) (v Version) {
	copy(v[:], numbers)
	return v
}

// Has says whether v is one of the releases.
func (r Range) Has(v Version) bool {
	return !v.Before(r.From[:]...) && (r.Until == Version{} || v.Before(r.Until[:]...))
}

// String is "before 2.3", "since 0.11" or "3.5 to before 3.8".
func (r Range) String() string {
	switch {
	case r == Range{}:
		return "all"
	case r.From == Version{}:
		return "before " + r.Until.Name()
	case r.Until == Version{}:
		return "since " + r.From.Name()
	}
	return r.From.Name() + " to before " + r.Until.Name()
}
