package recovery_test

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
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/producerstate"
	"github.com/kafsck/kafsck/internal/recovery"
	"github.com/kafsck/kafsck/internal/statefile"
)

func version(t *testing.T, text string) kafkaversion.Version {
	t.Helper()
	if text == "" {
		return kafkaversion.Latest
	}
	v, err := kafkaversion.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// recoverPartition recovers all segments of a directory in order, as a broker
// without a recovery point does.
func recoverPartition(t *testing.T, dir string, o recovery.Options, each func(base string, r *recovery.Result, state *producerstate.State)) {
	t.Helper()
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	state := producerstate.New(o.Version, 0)
	state.Partition = filepath.Base(dir)
	for _, segment := range p.Segments {
		if segment.Log == nil {
			continue
		}
		f, err := os.Open(segment.Log.Path)
		if err != nil {
			t.Fatal(err)
		}
		o := o
		o.File, o.BaseOffset = segment.Log.Path, segment.BaseOffset
		if !o.Version.Before(0, 11) {
			o.Producers = state
		}
		r, err := recovery.Segment(f, segment.Log.Size, o)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		each(strings.TrimSuffix(segment.Log.Name, ".log"), r, state)
	}
}

// What brokers of all versions rebuilt, with their own code, is rebuilt here.
func TestRebuildsWhatBrokersRebuilt(t *testing.T) {
	compared := map[string]int{}
	for rebuilt := range fixture.Recovered(t) {
		if rebuilt.Clean {
			continue
		}
		t.Run(rebuilt.Rel, func(t *testing.T) {
			want := map[string][]byte{}
			for _, name := range rebuilt.Files(t) {
				want[name] = rebuilt.ReadFile(t, name)
			}
			o := recovery.Options{Version: version(t, rebuilt.Version), Interval: int64(rebuilt.Interval), MaxIndexSize: rebuilt.MaxBytes}
			recoverPartition(t, rebuilt.Partition.Dir(t), o, func(base string, r *recovery.Result, state *producerstate.State) {
				if r.Failure != nil || r.Truncated() != 0 {
					t.Fatalf("%s: %v, %d bytes cut", base, r.Failure, r.Truncated())
				}
				for suffix, got := range map[string][]byte{".index": r.Offset.Bytes(), ".timeindex": r.Time.Bytes(), ".txnindex": r.Txn.Bytes()} {
					stored, there := want[base+suffix]
					if !bytes.Equal(got, stored) {
						t.Errorf("%s%s: %d bytes, want %d", base, suffix, len(got), len(stored))
					}
					if there {
						compared[suffix]++
					}
				}
			})
		})
	}
	for _, suffix := range []string{".index", ".timeindex", ".txnindex"} {
		if compared[suffix] < 10 {
			t.Errorf("only %d files %s were compared", compared[suffix], suffix)
		}
	}
	t.Log(compared)
}

// Snapshots that a broker took while it wrote hold what a replay knows at the
// same offset.
func TestStateIsThatOfSnapshots(t *testing.T) {
	compared := 0
	for p := range fixture.Partitions(t) {
		if p.Kind != fixture.Closed || strings.HasPrefix(p.Name, "compact") || strings.HasPrefix(p.Name, "__") {
			continue
		}
		dir := p.Dir(t)
		o := recovery.Options{Version: version(t, p.Version), Interval: 4096, MaxIndexSize: 10 << 20}
		recoverPartition(t, dir, o, func(base string, r *recovery.Result, state *producerstate.State) {
			name := filepath.Join(dir, fmt.Sprintf("%020d.snapshot", state.EndOffset()))
			snapshot, err := statefile.ReadFile(name, statefile.ReadProducerSnapshot)
			if errors.Is(err, fs.ErrNotExist) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			compared++
			want := producerstate.New(o.Version, 0)
			want.Load(snapshot.Entries, state.EndOffset())
			got, stored := state.Snapshot(), want.Snapshot()
			if len(got) != len(stored) {
				t.Errorf("%s: %d producers, want %d", name, len(got), len(stored))
				return
			}
			for i := range got {
				if got[i] != stored[i] {
					t.Errorf("%s:\n got %+v\nwant %+v", name, got[i], stored[i])
				}
			}
		})
	}
	if compared < 20 {
		t.Errorf("only %d snapshots were compared", compared)
	}
	t.Log(compared, "snapshots")
}
