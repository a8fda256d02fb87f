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
