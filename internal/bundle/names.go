package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/internal/logdir"
)

// namer says how paths, names and texts are shown in the bundle.
type namer struct {
	base   string // what paths are relative to, as in the argument
	redact bool
	// above are the forms in which messages may have the path above.
	above []*regexp.Regexp
	// words are the names to replace where they stand alone, odd those that
	// have characters that no topic has.
	words, odd map[string]string
}

var word = regexp.MustCompile(`[A-Za-z0-9._-]+`)

func newNamer(t *logdir.Target, redact bool) *namer {
	n := &namer{base: t.Path, redact: redact, words: map[string]string{}, odd: map[string]string{}}
	absolute, err := filepath.Abs(t.Path)
	if err != nil {
		absolute = t.Path
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		real = absolute
	}
	forms := []string{real, absolute, filepath.Clean(t.Path)}
	if t.Dir == nil {
		// A file's or partition's own name stays.
		n.base = filepath.Join(t.Path, "..")
		if clean := filepath.Clean(t.Path); clean == "." || clean == ".." || clean == string(filepath.Separator) {
			n.base = filepath.Dir(absolute)
		}
		for i := range forms {
			forms[i] = filepath.Dir(forms[i])
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	for _, f := range slices.Compact(forms) {
		if f != "." && f != string(filepath.Separator) {
			n.above = append(n.above, regexp.MustCompile(`(^|[^A-Za-z0-9._/\\-])`+regexp.QuoteMeta(f)+`(?:[/\\]+|\b|$)`))
		}
	}
	return n
}

// topic makes a topic known, so that its name is replaced in texts.
func (n *namer) topic(topic string) { n.learn(topic, hashed("topic", topic)) }

// name makes any other name known.
func (n *namer) name(name string) { n.learn(name, hashed("name", name)) }

func (n *namer) learn(name, shown string) {
	switch {
	case !n.redact || strings.HasPrefix(name, "__") && logdir.CheckTopic(name) == nil && ofKafka(name):
	case word.FindString(name) == name:
		n.words[name] = shown
	case name != "":
		n.odd[name] = shown
	}
}

// ofKafka are the topics whose names are no secret.
func ofKafka(topic string) bool {
	switch topic {
	case logdir.MetadataTopic, "__consumer_offsets", "__transaction_state", "__share_group_state", "__remote_log_metadata":
		return true
	}
	return false
}

// hashed is a name that is the same in every bundle.
func hashed(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return kind + "." + hex.EncodeToString(sum[:8])
}

// path is how a path is shown.
func (n *namer) path(path string) string {
	rel, err := filepath.Rel(n.base, path)
	if err != nil {
		if abs, e := filepath.Abs(path); e == nil {
			rel, err = filepath.Rel(n.base, abs)
		}
	}
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return n.text(path)
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, part := range parts {
		parts[i] = n.component(part)
	}
	return strings.Join(parts, "/")
}

// component is how one element of a path is shown.
func (n *namer) component(name string) string {
	if !n.redact || name == "." || logdir.ParseName(name).Kind != logdir.KindUnknown || name == logdir.RemoteIndexCacheDir {
		return name
	}
	if shown, ok := n.partition(name); ok {
		return shown
	}
	return hashed("name", name)
}

// partition is how a name of the form topic-partition is shown, whatever is
// behind it, if the topic is known.
func (n *namer) partition(name string) (string, bool) {
	dir, ok := logdir.ParsePartitionDir(name)
	if !ok || !strings.HasPrefix(name, dir.Topic) {
		return "", false
	}
	if ofKafka(dir.Topic) {
		return name, true
	}
	shown, known := n.words[dir.Topic]
	if !known {
		shown, known = n.odd[dir.Topic]
	}
	return shown + name[len(dir.Topic):], known
}

// text is how a message of kafsck or Kafka is shown.
func (n *namer) text(s string) string {
	s = unquoted(s)
	for _, above := range n.above {
		s = above.ReplaceAllString(s, "$1")
	}
	if !n.redact {
		return s
	}
	for _, odd := range slices.SortedFunc(keys(n.odd), func(a, b string) int { return len(b) - len(a) }) {
		s = strings.ReplaceAll(s, odd, n.odd[odd])
	}
	return word.ReplaceAllStringFunc(s, func(w string) string {
		for end := len(w); ; end-- {
			if shown, ok := n.words[w[:end]]; ok {
				return shown + w[end:]
			}
			if shown, ok := n.partition(w[:end]); ok {
				return shown + w[end:]
			}
			if end == 0 || w[end-1] != '.' && w[end-1] != '-' {
				return w
			}
		}
	})
}

// topicName is how the name of a topic is shown. What can't be one is replaced.
func (n *namer) topicName(topic string) string {
	if ofKafka(topic) || !n.redact && logdir.CheckTopic(topic) == nil {
		return topic
	}
	return hashed("topic", topic)
}
