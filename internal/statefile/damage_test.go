package statefile

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// published is the one-entry snapshot and the empty one of the format's
// description, byte by byte.
var published = []struct {
	hex     string
	entries []ProducerEntry
}{
	{"00013557d2d90000000100000000000010920001000000150000 00000000001d0000000100000174876e80000000000f000000000000001c",
		[]ProducerEntry{{ProducerID: 4242, ProducerEpoch: 1, CoordinatorEpoch: 15, CurrentTxnFirstOffset: 28,
			LastTimestamp: 1600000000000, FirstSequence: 20, LastSequence: 21, LastOffset: 29, OffsetDelta: 1}}},
	{"000148674bc700000000", nil},
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPublishedSnapshots(t *testing.T) {
	for _, c := range published {
		b := unhex(t, c.hex)
		s, err := ReadProducerSnapshot(bytes.NewReader(b), int64(len(b)))
		if err != nil || !reflect.DeepEqual(s.Entries, c.entries) || s.StoredCRC != s.ComputedCRC || s.TrailingBytes != 0 {
			t.Errorf("%s: %+v %v", c.hex, s, err)
		}
		if again := AppendProducerSnapshot([]byte("x"), c.entries); !bytes.Equal(again[1:], b) {
			t.Errorf("wrote %x", again)
		}
	}
}

func manyProducers(n int) []ProducerEntry {
	entries := make([]ProducerEntry, n)
	for i := range entries {
		entries[i] = ProducerEntry{ProducerID: int64(i), LastSequence: int32(i) * 3, LastOffset: int64(i) * 7, OffsetDelta: 2,
			LastTimestamp: -1, CoordinatorEpoch: -1, CurrentTxnFirstOffset: -1}
		entries[i].FirstSequence = FirstSequence(int32(i)*3, 2)
	}
	return entries
}

// TestSnapshotCutAtEveryLength: every shorter file is refused for its size,
// and gives the entries that are whole.
func TestSnapshotCutAtEveryLength(t *testing.T) {
	entries := manyProducers(3)
	whole := AppendProducerSnapshot(nil, entries)
	for n := range whole {
		s, err := ReadProducerSnapshot(bytes.NewReader(whole[:n]), int64(n))
		var fault *Error
		if !errors.Is(err, ErrSnapshotSize) || !errors.As(err, &fault) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if failure, ok := fault.Broker(""); !ok || failure.Class != "CorruptSnapshotException" {
			t.Errorf("%d bytes: broker %v", n, failure)
		}
		want := max(0, (n-snapshotHeaderSize)/snapshotEntrySize)
		if len(s.Entries) != want || want > 0 && !reflect.DeepEqual(s.Entries, entries[:want]) {
			t.Errorf("%d bytes: %d entries, not %d", n, len(s.Entries), want)
		}
	}
}

// TestSnapshotEveryBit: no flipped bit goes unnoticed, and each is named for
// what it hit.
func TestSnapshotEveryBit(t *testing.T) {
	whole := AppendProducerSnapshot(nil, manyProducers(2))
	for bit := range len(whole) * 8 {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		_, err := ReadProducerSnapshot(bytes.NewReader(b), int64(len(b)))
		want := ErrSnapshotCRC
		switch at := bit / 8; {
		case at < 2:
			want = ErrSnapshotVersion
		case at >= 6 && at < 10 && (b[9] > 2 || b[6]|b[7]|b[8] != 0):
			want = ErrSnapshotSize
		}
		if !errors.Is(err, want) {
			t.Errorf("bit %d: %v, want %v", bit, err, want)
		}
	}
}

func TestSnapshotDamage(t *testing.T) {
	one := AppendProducerSnapshot(nil, manyProducers(1))
	three := AppendProducerSnapshot(nil, manyProducers(3))
	stale := append(bytes.Clone(one), three[len(one):]...)
	cases := []struct {
		name    string
		data    []byte
		kind    error
		entries int
		want    string
	}{
		{"overwritten without truncating", stale, ErrSnapshotCRC, 1, "92 bytes behind the last entry (right without them)"},
		{"garbage behind", append(append([]byte{0, 1, 9, 9, 9, 9}, one[6:]...), "xyz"...), ErrSnapshotCRC, 1, "3 bytes behind the last entry"},
		{"largest count", append([]byte{0, 1, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}, one[10:]...), ErrSnapshotSize, 1, "2147483647 entries claimed, 46 bytes behind the header hold 1"},
		{"negative count", append([]byte{0, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, one[10:]...), ErrSnapshotSize, 0, "-1 entries claimed"},
		{"zeros", make([]byte, 4096), ErrSnapshotVersion, 0, "0, not 1"},
		{"empty", nil, ErrSnapshotSize, 0, "0 bytes"},
	}
	for _, c := range cases {
		s, err := ReadProducerSnapshot(bytes.NewReader(c.data), int64(len(c.data)))
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || len(s.Entries) != c.entries {
			t.Errorf("%s: %d entries, %v", c.name, len(s.Entries), err)
		}
	}
	s, _ := ReadProducerSnapshot(bytes.NewReader(stale), int64(len(stale)))
	if !s.StaleTail || s.TrailingBytes != 92 {
		t.Errorf("stale tail: %+v", s.SnapshotInfo)
	}
}

// failingReader fails from a position on.
type failingReader struct {
	data []byte
	from int64
}

var errDisk = errors.New("disk gone")

func (f failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off >= f.from {
		return 0, errDisk
	}
	n := copy(p, f.data[off:f.from])
	if n < len(p) {
		return n, errDisk
	}
	return n, nil
}

// TestReadErrorsAreNoDamage: a disk error is told apart from a bad file, and
// what was read before it is kept.
func TestReadErrorsAreNoDamage(t *testing.T) {
	snapshot := AppendProducerSnapshot(nil, manyProducers(4))
	r := failingReader{snapshot, snapshotHeaderSize + 2*snapshotEntrySize + 5}
	s, err := ReadProducerSnapshot(r, int64(len(snapshot)))
	if !errors.Is(err, ErrRead) || !errors.Is(err, errDisk) || errors.Is(err, ErrSnapshotSize) || len(s.Entries) != 2 {
		t.Errorf("snapshot: %d entries, %v", len(s.Entries), err)
	}
	text := AppendLeaderEpochs(nil, []EpochEntry{{Line: 3}})
	if _, err := ReadLeaderEpochs(failingReader{text, 3}, int64(len(text))); !errors.Is(err, ErrRead) || errors.Is(err, ErrMalformed) {
		t.Errorf("epochs: %v", err)
	}
	stop := errors.New("enough")
	if _, err := ScanProducerSnapshot(bytes.NewReader(snapshot), int64(len(snapshot)), func(ProducerEntry) error { return stop }); err != stop {
		t.Errorf("visit: %v", err)
	}
	// A file that became shorter since its size was taken is a short file.
	if _, err := ReadProducerSnapshot(bytes.NewReader(snapshot[:60]), int64(len(snapshot))); !errors.Is(err, ErrSnapshotSize) {
		t.Errorf("shrunk: %v", err)
	}
}

// TestTextCutAtEveryLength: what a cut leaves is a prefix of the values.
func TestTextCutAtEveryLength(t *testing.T) {
	want := []CheckpointEntry{{"topicA", 0, 15, 3}, {"topic.B", 12, 9001, 4}, {"c", 1, 0, 5}}
	whole := AppendOffsetCheckpoint(nil, want)
	silent := 0
	for n := range len(whole) {
		c, err := ReadOffsetCheckpoint(bytes.NewReader(whole[:n]), int64(n))
		if err == nil {
			silent++
		}
		for i, e := range c.Entries[:max(0, len(c.Entries)-1)] {
			if e != want[i] {
				t.Errorf("cut at %d: entry %d is %v", n, i, e)
			}
		}
		if err != nil && !errors.Is(err, ErrCount) && !errors.Is(err, ErrMalformed) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	// Nothing, "0" and "0\n" count as empty, and the last line end is not
	// needed. That is all that a cut can hide.
	if silent != 4 {
		t.Errorf("%d cuts are taken for a whole file", silent)
	}
	id, _ := ParseUUID("XtXUDxRIQ5eYz5PPhMCIFg")
	metadata := AppendPartitionMetadata(nil, PartitionMetadata{TopicID: id})
	for n := range len(metadata) {
		if _, err := ReadPartitionMetadata(bytes.NewReader(metadata[:n]), int64(n)); !errors.Is(err, ErrMalformed) {
			t.Errorf("partition.metadata cut at %d: %v", n, err)
		}
	}
}

func TestTextDamage(t *testing.T) {
	cases := []struct {
		name, text string
		read       func(io.ReaderAt, int64) (any, error)
		kind       error
		line       int
		position   int64
		want       string
	}{
		{"entries behind a bad line", "0\n3\na 0 1\nb 0\nc 0 3\n", wrap(ReadOffsetCheckpoint), ErrMalformed, 4, 10, "{[{a 0 1 3} {c 0 3 5}]}"},
		{"bad UTF-8 goes first", "7\n\xff\n", wrap(ReadLeaderEpochs), ErrMalformed, 2, 2, "{[]}"},
		{"missing id", "version: 0\n", wrap(ReadPartitionMetadata), ErrMalformed, 2, 11, "{0 AAAAAAAAAAAAAAAAAAAAAA}"},
		{"version before the fault", "version: 3\ntopic_id: ?\n", wrap(ReadPartitionMetadata), ErrMalformed, 2, 11, "{3 AAAAAAAAAAAAAAAAAAAAAA}"},
		{"too many", "0\n1\n0 0\n1 5\n", wrap(ReadLeaderEpochs), ErrCount, 2, 12, "{[{0 0 3 4} {1 5 4 8}]}"},
		{"reserved directory", "version=1\nnode.id=1\ncluster.id=c\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAg\n", wrap(ReadMetaProperties), ErrMalformed, 4, -1, ""},
		{"bad epoch of a clean stop", `{"version":0,"brokerEpoch":"x"}`, wrap(ReadCleanShutdown), ErrMalformed, 0, -1, ""},
		{"quorum of tomorrow", `{"data_version":2}`, wrap(ReadQuorumState), ErrVersion, 1, 0, ""},
	}
	for _, c := range cases {
		value, err := c.read(strings.NewReader(c.text), int64(len(c.text)))
		var fault *Error
		if !errors.As(err, &fault) || fault.Kind != c.kind || fault.Line != c.line || fault.Position != c.position {
			t.Errorf("%s: %#v", c.name, err)
		}
		if got := sprint(value); c.want != "" && got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// TestJSON fixes the objects that dump prints: names, order, nulls.
func TestJSON(t *testing.T) {
	read := func(kind func(io.ReaderAt, int64) (any, error), text string) any {
		v, err := kind(strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return v
	}
	for want, v := range map[string]any{
		`{"producerId":8,"producerEpoch":0,"coordinatorEpoch":-1,"currentTxnFirstOffset":0,"lastTimestamp":0,"firstSequence":4,"lastSequence":4,"lastOffset":8,"offsetDelta":0}`: ProducerEntry{ProducerID: 8, CoordinatorEpoch: -1, FirstSequence: 4, LastSequence: 4, LastOffset: 8},
		`{"epoch":0,"startOffset":7}`:                      EpochEntry{StartOffset: 7, Line: 3},
		`{"topic":"t","partition":0,"offset":8}`:           CheckpointEntry{Topic: "t", Offset: 8, Line: 3},
		`{"version":0,"topicId":"XtXUDxRIQ5eYz5PPhMCIFg"}`: read(wrap(ReadPartitionMetadata), "version: 0\ntopic_id: XtXUDxRIQ5eYz5PPhMCIFg"),
		`{"version":0,"brokerEpoch":14}`:                   read(wrap(ReadCleanShutdown), `{"version":0,"brokerEpoch":14}`),
		`{"version":null,"brokerEpoch":null}`:              read(wrap(ReadCleanShutdown), ""),
		`{"version":0,"brokerId":3,"nodeId":null,"clusterId":null,"directoryId":null,"other":{"x":"y"}}`:                                                                     read(wrap(ReadMetaProperties), "broker.id=3\nx=y\n"),
		`{"version":1,"brokerId":null,"nodeId":1,"clusterId":"c","directoryId":"C4eau6JhOqaB8zvDa1re7Q","other":{}}`:                                                         read(wrap(ReadMetaProperties), "version=1\nnode.id=1\ncluster.id=c\ndirectory.id=C4eau6JhOqaB8zvDa1re7Q\n"),
		`{"dataVersion":1,"clusterId":null,"leaderId":1,"leaderEpoch":3,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","appliedOffset":null,"currentVoters":null}`: read(wrap(ReadQuorumState), `{"leaderId":1,"leaderEpoch":3,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}`),
		`{"dataVersion":0,"clusterId":"","leaderId":1,"leaderEpoch":3,"votedId":-1,"votedDirectoryId":null,"appliedOffset":0,"currentVoters":[{"voterId":1}]}`:               read(wrap(ReadQuorumState), `{"clusterId":"","leaderId":1,"leaderEpoch":3,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1}],"data_version":0}`),
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("\n got %s %v\nwant %s", got, err, want)
		}
	}
}

func TestEpochOrder(t *testing.T) {
	for want, entries := range map[int][]EpochEntry{
		-1: {{}, {Epoch: 2, StartOffset: 100}, {Epoch: 5, StartOffset: 100}},
		2:  {{}, {Epoch: 2, StartOffset: 100}, {Epoch: 1, StartOffset: 200}},
		1:  {{Epoch: 3, StartOffset: 50}, {Epoch: 4, StartOffset: 49}},
	} {
		if got := (LeaderEpochs{entries}).OutOfOrder(); got != want {
			t.Errorf("%v: %d", entries, got)
		}
	}
}

func TestReservedDirectories(t *testing.T) {
	for id, want := range map[UUID]bool{
		ZeroUUID: true, UnassignedDirectoryID: true, LostDirectoryID: true,
		{15: 99}: true, {15: 100}: false, {7: 1}: false,
		{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff}: true,
	} {
		if id.ReservedDirectory() != want {
			t.Errorf("%v: not %v", id, want)
		}
	}
}
