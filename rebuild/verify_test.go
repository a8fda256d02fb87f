package rebuild

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/recovery"
)

// memBytes is an index in memory.
type memBytes struct{ *bytes.Reader }

func (memBytes) Close() error               { return nil }
func (memBytes) Stat() (os.FileInfo, error) { return nil, errors.ErrUnsupported }

// Every change of a single entry that leads a lookup astray is found.
func TestVerifyFindsLies(t *testing.T) {
	dir := fixture.Copy(t, "kafka-4.4.0/closed/txn-0")
	source, err := openSource(context.Background(), filepath.Join(dir, "00000000000000000010.log"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	result, err := recovery.Segment(source, source.size, recovery.Options{Version: kafkaversion.Latest, BaseOffset: 10, Interval: 300, MaxIndexSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	run := &partitionRun{o: &Options{Version: kafkaversion.Latest}}
	verify := func(kind indexfile.Kind, index []byte) error {
		return run.verify(kind, memBytes{bytes.NewReader(index)}, int64(len(index)), 10, source)
	}
	for kind, index := range map[indexfile.Kind][]byte{indexfile.Offset: result.Offset.Bytes(), indexfile.Time: result.Time.Bytes()} {
		if err := verify(kind, index); err != nil {
			t.Errorf("%s: the right index: %v", kind, err)
		}
		if len(index) < 5*kind.EntrySize() {
			t.Fatalf("%s: only %d bytes", kind, len(index))
		}
		// A smaller offset before a position is the lie that loses records; a
		// larger one costs a longer scan and is true.
		lies := map[string]func(b []byte){
			"offset too small":        func(b []byte) { b[3] = 1 },
			"position within a batch": func(b []byte) { b[7]++ },
			"position past the log":   func(b []byte) { b[len(index)-3] = 0xff },
		}
		if kind == indexfile.Time {
			lies = map[string]func(b []byte){
				"time too large":   func(b []byte) { b[7]++ },
				"time too small":   func(b []byte) { b[kind.EntrySize()+7]-- },
				"offset of others": func(b []byte) { b[11] += 9 },
				"offset past it":   func(b []byte) { b[len(b)-3] = 0x7f },
			}
		}
		for name, lie := range lies {
			changed := bytes.Clone(index)
			lie(changed)
			if err := verify(kind, changed); !errors.Is(err, errVerify) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}
