package statefile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// answer is what the classes of Kafka 4.4.0 said about one input: the values
// that they read, or the exceptions from the outermost to the cause.
type answer struct {
	Kind   string
	Input  []byte
	Values []string
	Error  []string
}

// TestKafkaAgrees puts the readers beside Kafka's own (testdata/README.md).
func TestKafkaAgrees(t *testing.T) {
	f, err := os.Open("testdata/kafka-4.4.0.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		seen[a.Kind]++
		values, err := readAs(a.Kind, a.Input)
		if (err != nil) != (len(a.Error) > 0) {
			switch {
			// A broker keeps quiet about these two.
			case a.Kind == "clean", a.Kind == "meta" && strings.Contains(err.Error(), "reserved"):
				continue
			// It isn't the reader that refuses these, but the cache that they are for.
			case errors.Is(err, ErrNegativeEpoch) && slices.Equal(values, a.Values):
				continue
			}
			t.Errorf("%s %q: error %v, Kafka %q", a.Kind, a.Input, err, a.Error)
			continue
		}
		if err != nil {
			checkFailure(t, a, err)
			continue
		}
		if !slices.Equal(values, a.Values) {
			t.Errorf("%s %q:\n got %q\nwant %q", a.Kind, a.Input, values, a.Values)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"offset", "epoch", "partmeta", "clean", "props", "meta", "quorum", "snapshot", "uuid"} {
		if seen[kind] == 0 {
			t.Errorf("no answer for %s", kind)
		}
	}
}

// checkFailure compares the predicted exception with Kafka's.
func checkFailure(t *testing.T, a answer, err error) {
	t.Helper()
	var fault *Error
	if !errors.As(err, &fault) {
		if a.Kind != "uuid" {
			t.Errorf("%s %q: %v is no *Error", a.Kind, a.Input, err)
		}
		return
	}
	got, ok := fault.Broker("FILE")
	if !ok {
		t.Errorf("%s %q: no broker failure for %v, Kafka %q", a.Kind, a.Input, err, a.Error)
		return
	}
	if got.Message == "" {
		if a.Kind == "quorum" && got.Class == "IOException" {
			return // Jackson's own subclasses
		}
		if !slices.ContainsFunc(a.Error, func(s string) bool { return strings.HasPrefix(s, got.Class+": ") }) {
			t.Errorf("%s %q: %s, Kafka %q", a.Kind, a.Input, got.Class, a.Error)
		}
		return
	}
	if want := got.Class + ": " + got.Message; !slices.Contains(a.Error, want) {
		t.Errorf("%s %q:\n got %s\nwant %q", a.Kind, a.Input, want, a.Error)
	}
}

// readAs reads input with the reader for kind and writes the values as the
// recording does.
func readAs(kind string, input []byte) (values []string, err error) {
	values = []string{}
	add := func(format string, args ...any) { values = append(values, fmt.Sprintf(format, args...)) }
	r, size := bytes.NewReader(input), int64(len(input))
	switch kind {
	case "offset":
		var c OffsetCheckpoint
		c, err = ReadOffsetCheckpoint(r, size)
		last := map[string]bool{}
		offsets := c.ByPartition()
		for _, e := range c.Entries {
			offset, _ := offsets.Lookup(e.Topic, e.Partition)
			last[fmt.Sprintf("%s %d %d", e.Topic, e.Partition, offset)] = true
		}
		for s := range last {
			values = append(values, s)
		}
		slices.Sort(values)
	case "epoch":
		var c LeaderEpochs
		c, err = ReadLeaderEpochs(r, size)
		for _, e := range c.Entries {
			add("%d %d", e.Epoch, e.StartOffset)
		}
	case "partmeta":
		var m PartitionMetadata
		m, err = ReadPartitionMetadata(r, size)
		add("%d %s", m.Version, m.TopicID)
	case "clean":
		var c CleanShutdown
		if c, err = ReadCleanShutdown(r, size); err != nil || c.BrokerEpoch == nil {
			add("none")
			err = nil
		} else {
			add("%d", *c.BrokerEpoch)
		}
	case "props":
		var p []Property
		p, err = ParseProperties(input)
		byKey := map[string]string{}
		for _, p := range p {
			byKey[p.Key] = p.Value
		}
		for _, k := range slices.Sorted(func(yield func(string) bool) {
			for k := range byKey {
				if !yield(k) {
					return
				}
			}
		}) {
			values = append(values, k, byKey[k])
		}
	case "meta":
		var m MetaProperties
		m, err = ReadMetaProperties(r, size)
		add("%d %s %s %s", m.Version, orNone(firstOf(m.NodeID, m.BrokerID)), orNone(m.ClusterID), orNone(m.DirectoryID))
	case "quorum":
		var q QuorumState
		q, err = ReadQuorumState(r, size)
		directory := "none"
		if q.VotedID >= 0 && q.VotedDirectoryID != nil && *q.VotedDirectoryID != ZeroUUID {
			directory = q.VotedDirectoryID.String()
		}
		add("%d %d %d %s", q.LeaderEpoch, q.LeaderID, q.VotedID, directory)
	case "snapshot":
		var s ProducerSnapshot
		s, err = ReadProducerSnapshot(r, size)
		for _, e := range s.Entries {
			if !e.HasBatch() {
				e.LastSequence, e.LastOffset, e.OffsetDelta = -1, -1, 0
			}
			if !e.InTransaction() {
				e.CurrentTxnFirstOffset = -1
			}
			add("%d %d %d %d %d %d %d %d %d", e.ProducerID, e.ProducerEpoch, e.CoordinatorEpoch, e.CurrentTxnFirstOffset,
				e.LastTimestamp, e.FirstSequence, e.LastSequence, e.LastOffset, e.OffsetDelta)
		}
	case "uuid":
		var id UUID
		id, err = ParseUUID(string(input))
		add("%s", id)
	default:
		err = errors.New("unknown kind")
	}
	return values, err
}

func firstOf[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

func orNone[T any](p *T) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprint(*p)
}
