package statefile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/statefile"
)

// roundTrip reads a real file and writes it again. known is false for a file
// of another kind.
func roundTrip(path string) (again []byte, known bool, err error) {
	name := filepath.Base(path)
	switch {
	case strings.HasSuffix(name, ".snapshot"):
		s, err := statefile.ReadFile(path, statefile.ReadProducerSnapshot)
		return statefile.AppendProducerSnapshot(nil, s.Entries), true, err
	case name == "leader-epoch-checkpoint" || strings.HasSuffix(name, ".leader_epoch_checkpoint"):
		c, err := statefile.ReadFile(path, statefile.ReadLeaderEpochs)
		return statefile.AppendLeaderEpochs(nil, c.Entries), true, err
	case strings.HasSuffix(name, "-offset-checkpoint"):
		c, err := statefile.ReadFile(path, statefile.ReadOffsetCheckpoint)
		return statefile.AppendOffsetCheckpoint(nil, c.Entries), true, err
	case name == "partition.metadata":
		m, err := statefile.ReadFile(path, statefile.ReadPartitionMetadata)
		return statefile.AppendPartitionMetadata(nil, m), true, err
	case name == ".kafka_cleanshutdown":
		c, err := statefile.ReadFile(path, statefile.ReadCleanShutdown)
		if err != nil || c.BrokerEpoch == nil {
			return nil, true, err
		}
		return fmt.Appendf(nil, `{"version":%d,"brokerEpoch":%d}`, *c.Version, *c.BrokerEpoch), true, nil
	case name == "meta.properties":
		m, err := statefile.ReadFile(path, statefile.ReadMetaProperties)
		if err != nil {
			return nil, true, err
		}
		// Order and comments mean nothing: only the date in front is kept.
		head, _, _ := strings.Cut(readString(path), "node.id")
		return fmt.Appendf([]byte(head), "node.id=%d\ndirectory.id=%s\nversion=%d\ncluster.id=%s\n", *m.NodeID, m.DirectoryID, m.Version, *m.ClusterID), true, nil
	case name == "quorum-state":
		q, err := statefile.ReadFile(path, statefile.ReadQuorumState)
		if err != nil {
			return nil, true, err
		}
		if q.DataVersion == 1 {
			return fmt.Appendf(nil, `{"leaderId":%d,"leaderEpoch":%d,"votedId":%d,"votedDirectoryId":"%s","data_version":1}`,
				q.LeaderID, q.LeaderEpoch, q.VotedID, q.VotedDirectoryID), true, nil
		}
		return fmt.Appendf(nil, `{"clusterId":"%s","leaderId":%d,"leaderEpoch":%d,"votedId":%d,"appliedOffset":%d,"currentVoters":[{"voterId":%d}],"data_version":0}`,
			*q.ClusterID, q.LeaderID, q.LeaderEpoch, q.VotedID, *q.AppliedOffset, q.CurrentVoters[0].VoterID), true, nil
	}
	return nil, false, nil
}

func readString(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

// TestRealFiles reads every small file that real brokers of nine versions left
// behind, and finds that what was read says all that is in the file.
func TestRealFiles(t *testing.T) {
	roots := []string{fixture.Segments(t)}
	for _, state := range []string{"kraft", "tiered"} {
		roots = append(roots, fixture.State(t, state))
	}
	counts := map[string]int{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			again, known, err := roundTrip(path)
			if !known {
				return nil
			}
			counts[strings.TrimLeft(filepath.Ext(path)+filepath.Base(path), "0123456789")]++
			if err != nil {
				t.Errorf("%v", err)
			} else if real := readString(path); string(again) != real && real != "" {
				t.Errorf("%s:\n read %q\nwrote %q", path, real, again)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(counts) < 9 {
		t.Errorf("only these kinds were there: %v", counts)
	}
}

// TestSnapshotDumps compares the values with what Kafka's dump tool printed.
func TestSnapshotDumps(t *testing.T) {
	n := 0
	for g := range fixture.Goldens(t, "dump") {
		if !strings.HasSuffix(g.File, ".snapshot") {
			continue
		}
		n++
		path := filepath.Join(fixture.Segments(t), filepath.FromSlash(g.Capture), filepath.FromSlash(g.File))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			path = filepath.Join(t.TempDir(), filepath.Base(path))
			if err := fixture.CopyTo(path, g.Capture+"/"+g.File); err != nil {
				t.Fatal(err)
			}
		}
		s, err := statefile.ReadFile(path, statefile.ReadProducerSnapshot)
		if err != nil {
			t.Error(err)
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "Dumping %s\n", g.File)
		for _, e := range s.Entries {
			txn := "OptionalLong.empty"
			if e.InTransaction() {
				txn = fmt.Sprintf("OptionalLong[%d]", e.CurrentTxnFirstOffset)
			}
			fmt.Fprintf(&b, "producerId: %d producerEpoch: %d coordinatorEpoch: %d currentTxnFirstOffset: %s lastTimestamp: %d",
				e.ProducerID, e.ProducerEpoch, e.CoordinatorEpoch, txn, e.LastTimestamp)
			if e.HasBatch() {
				fmt.Fprintf(&b, " firstSequence: %d lastSequence: %d lastOffset: %d offsetDelta: %d timestamp: %d",
					e.FirstSequence, e.LastSequence, e.LastOffset, e.OffsetDelta, e.LastTimestamp)
			}
			b.WriteByte('\n')
		}
		if want := string(g.Stdout); b.String() != want {
			t.Errorf("%s:\n got %s\nwant %s", g.Name(), b.String(), want)
		}
	}
	if n < 20 {
		t.Errorf("only %d snapshots have a dump", n)
	}
}

// countingReader tells how far a reader went.
type countingReader struct {
	*bytes.Reader
	read int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

func TestTooLargeIsNotRead(t *testing.T) {
	r := &countingReader{Reader: bytes.NewReader(make([]byte, 1<<20))}
	for name, read := range map[string]func(int64) error{
		"offsets":  func(n int64) error { _, err := statefile.ReadOffsetCheckpoint(r, n); return err },
		"epochs":   func(n int64) error { _, err := statefile.ReadLeaderEpochs(r, n); return err },
		"metadata": func(n int64) error { _, err := statefile.ReadPartitionMetadata(r, n); return err },
		"meta":     func(n int64) error { _, err := statefile.ReadMetaProperties(r, n); return err },
		"clean":    func(n int64) error { _, err := statefile.ReadCleanShutdown(r, n); return err },
		"quorum":   func(n int64) error { _, err := statefile.ReadQuorumState(r, n); return err },
		"snapshot": func(n int64) error { _, err := statefile.ReadProducerSnapshot(r, n<<6); return err },
	} {
		err := read(statefile.MaxTextSize + 1)
		if !errors.Is(err, statefile.ErrTooLarge) || errors.Is(err, statefile.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r.read != 0 {
		t.Errorf("%d bytes were read", r.read)
	}
}

func TestReadFileErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := statefile.ReadFile(dir, statefile.ReadLeaderEpochs); err == nil || !strings.Contains(err.Error(), "is a directory, not a file") {
		t.Errorf("directory: %v", err)
	}
	path := filepath.Join(dir, "leader-epoch-checkpoint")
	if _, err := statefile.ReadFile(path, statefile.ReadLeaderEpochs); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if err := os.WriteFile(path, []byte("0\n1\nx 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := statefile.ReadFile(path, statefile.ReadLeaderEpochs)
	if want := path + `: line 3 at position 4: malformed: epoch "x" is no number`; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
