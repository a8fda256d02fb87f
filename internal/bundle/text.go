package bundle

import (
	"iter"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/sanity"
)

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

const leftOut = "<left out>"

var (
	// What a message quotes reaches from the first quote to the last one, since
	// the text between may have quotes of its own. An apostrophe within a word
	// begins none.
	doubleQuoted = regexp.MustCompile(`(?s)".*"`)
	singleQuoted = regexp.MustCompile(`(?s)(^|[^\pL\pN])'.*'`)
	// Kafka's readers of text files repeat a line without quotes.
	wholeLine = regexp.MustCompile(`(?s)(Malformed line in ).*`)
)

// unquoted is a message without what it quotes from a file.
func unquoted(s string) string {
	s = wholeLine.ReplaceAllString(s, "${1}"+leftOut)
	if strings.ContainsRune(s, '"') {
		s = doubleQuoted.ReplaceAllString(s, leftOut)
	}
	if strings.ContainsRune(s, '\'') {
		s = singleQuoted.ReplaceAllString(s, "${1}"+leftOut)
	}
	return bigNumber.ReplaceAllStringFunc(s, func(digits string) string {
		if n, err := strconv.ParseInt(digits, 10, 64); err != nil || !plain(n) {
			return leftOut
		}
		return digits
	})
}

var bigNumber = regexp.MustCompile(`-?[0-9]{10,}`)

// plain says whether n is a number of offsets, times or ids. Others may be bytes
// of something else that stand where a number should: eight letters in a row are
// a large number, or a negative one.
func plain(n int64) bool { return n > -1<<31 && n < 1<<56 }

// plainOr1 is n, or −1, which stands for "not known", where n is no plain number.
func plainOr1(n int64) int64 {
	if plain(n) {
		return n
	}
	return -1
}

// plain32 is plain for fields of four bytes that are never so large.
func plain32(n int32) bool { return n >= -1 && n < 1<<29 }

// finding is f as it is shown.
func (n *namer) finding(f *sanity.Finding) *sanity.Finding {
	shown := *f
	shown.File = n.path(f.File)
	shown.Offset, shown.LastOffset = plainOr1(f.Offset), plainOr1(f.LastOffset)
	shown.Message, shown.Broker = n.text(f.Message), n.text(f.Broker)
	if f.Detail != nil {
		shown.Detail = make(map[string]any, len(f.Detail))
		for key, value := range f.Detail {
			shown.Detail[key] = n.value(value)
		}
	}
	return &shown
}

// value is a value of a finding's detail as it is shown; of kinds that are not
// known here it is left out.
func (n *namer) value(v any) any {
	switch v := v.(type) {
	case nil, bool, int, int16, int32:
		return v
	case int64:
		if plain(v) {
			return v
		}
	case string:
		return n.text(v)
	case []string:
		shown := make([]string, len(v))
		for i := range v {
			shown[i] = n.text(v[i])
		}
		return shown
	}
	return leftOut
}

func (n *namer) failure(f *indexfile.KafkaError) *indexfile.KafkaError {
	if f == nil {
		return nil
	}
	return &indexfile.KafkaError{Class: f.Class, Message: n.text(f.Message)}
}

func (n *namer) start(s *loader.Start) *loader.Start {
	return &loader.Start{
		Path: n.path(s.Path), Marker: s.Marker, Clean: s.Clean, Partitions: s.Partitions,
		Failure: n.failure(s.Failure), FailurePath: n.path(s.FailurePath),
		RecoveryPointsFault: s.RecoveryPointsFault, LogStartsFault: s.LogStartsFault,
	}
}

func (n *namer) plan(p *loader.Plan) *loader.Plan {
	shown := *p
	shown.Path, shown.Partition, shown.Failure = n.path(p.Path), n.component(p.Partition), n.failure(p.Failure)
	shown.LogStart, shown.LogEnd, shown.RecoveryPoint = plainOr1(p.LogStart), plainOr1(p.LogEnd), plainOr1(p.RecoveryPoint)
	shown.Lost = loss(p.Lost)
	shown.Removed, shown.Added = nil, nil
	return &shown
}

func loss(l loader.Loss) loader.Loss {
	l.FirstOffset, l.LastOffset = plainOr1(l.FirstOffset), plainOr1(l.LastOffset)
	l.FirstTime, l.LastTime = plainOr1(l.FirstTime), plainOr1(l.LastTime)
	return l
}

func (n *namer) decision(d *loader.Decision) *loader.Decision {
	shown := *d
	shown.File, shown.Reason, shown.Text = n.path(d.File), n.text(d.Reason), n.text(d.Text)
	shown.Lost = loss(d.Lost)
	return &shown
}
