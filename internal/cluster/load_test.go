package cluster_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kafsck/kafsck/internal/cluster"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/statefile"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// What a checkpoint can't tell: who led.
var ignoreLeader = []cmp.Option{
	cmpopts.IgnoreUnexported(cluster.Image{}), cmpopts.IgnoreFields(cluster.Image{}, "LeaderID", "LeaderEpoch"), cmpopts.EquateEmpty(),
}

const log0 = "00000000000000000000.log"

// A checkpoint is what replaying the log up to its end gives, and from any
// checkpoint on the log leads to the same image.
func TestCheckpointsAreTheLog(t *testing.T) {
	state := stateDir(t, "kraft")
	dirs := []string{
		fixture.Copy(t, "kafka-4.4.0/closed/__cluster_metadata-0"),
		filepath.Join(state, "clean", "n1", "__cluster_metadata-0"),
		filepath.Join(state, "clean", "n2", "__cluster_metadata-0"),
	}
	compared := 0
	for _, dir := range dirs {
		bare := t.TempDir() + "/__cluster_metadata-0"
		first := "/00000000000000000000-0000000000.checkpoint" // bootstrap records, which the log repeats in part
		copyFiles(t, dir, bare, "/"+log0, first)
		end := load(t, bare, topiclog.All)
		checkpoints, err := filepath.Glob(dir + "/*.checkpoint")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range checkpoints {
			alone := load(t, file, topiclog.All)
			if alone.Checkpoint == nil {
				t.Fatalf("%s: not sound", file)
			}
			if alone.Checkpoint.EndOffset == 0 {
				continue
			}
			replayed := load(t, bare, alone.Checkpoint.EndOffset-1)
			if diff := cmp.Diff(replayed.Image, alone.Image, ignoreLeader...); diff != "" {
				t.Errorf("%s (-log +checkpoint):\n%s", file, diff)
			}
			with := t.TempDir() + "/__cluster_metadata-0"
			copyFiles(t, dir, with, "/"+log0, "/"+filepath.Base(file))
			got := load(t, with, topiclog.All)
			if got.Checkpoint == nil || got.Checkpoint.EndOffset != alone.Checkpoint.EndOffset {
				t.Errorf("%s was not used", file)
			}
			if diff := cmp.Diff(end.Image, got.Image, ignoreLeader...); diff != "" {
				t.Errorf("from %s on (-whole log +from the checkpoint):\n%s", file, diff)
			}
			compared++
		}
	}
	if compared < 15 {
		t.Errorf("only %d checkpoints compared", compared)
	}
}

func copyFiles(t *testing.T, from, to string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(from + name)
		if err == nil {
			err = os.WriteFile(to+name, b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// codes are those of the findings of a load.
func codes(t *testing.T, path string, last int64) (*cluster.Result, []sanity.Code) {
	t.Helper()
	var found []sanity.Code
	result, err := cluster.Load(t.Context(), path, last, func(f sanity.Finding) { found = append(found, f.Code) })
	if err != nil {
		t.Fatal(err)
	}
	return result, slices.Compact(found)
}

func TestDamagedChain(t *testing.T) {
	const newest, older = "/00000000000000000232-0000000001.checkpoint", "/00000000000000000191-0000000001.checkpoint"
	sound := load(t, fixture.Copy(t, "kafka-4.4.0/closed/__cluster_metadata-0"), topiclog.All)
	if filepath.Base(sound.Checkpoint.File) != filepath.Base(newest) {
		t.Fatalf("began with %+v", sound.Checkpoint)
	}
	for name, c := range map[string]struct {
		change func(dir string) error
		want   []sanity.Code
		begins string // the checkpoint used; "" none
		same   bool   // the image is that of the sound files
	}{
		"a flipped bit in the newest checkpoint": {func(dir string) error { return edit(dir+newest, func(b []byte) []byte { b[200] ^= 1; return b }) },
			[]sanity.Code{sanity.BatchCRCMismatch}, older, true},
		"a cut checkpoint": {func(dir string) error { return edit(dir+newest, func(b []byte) []byte { return b[:len(b)-75] }) },
			[]sanity.Code{sanity.KRaftCheckpointMalformed}, older, true},
		"an empty checkpoint": {func(dir string) error { return edit(dir+newest, func([]byte) []byte { return nil }) },
			[]sanity.Code{sanity.KRaftCheckpointMalformed}, older, true},
		"another epoch in its name": {func(dir string) error {
			return os.Rename(dir+newest, dir+"/00000000000000000232-0000000007.checkpoint")
		},
			[]sanity.Code{sanity.KRaftCheckpointMalformed}, older, true},
		"no log": {func(dir string) error { return os.Remove(dir + "/" + log0) }, nil, newest, false},
		"a log that begins too late": {func(dir string) error { return errors.Join(os.Remove(dir+newest), cutFront(dir, 200)) },
			[]sanity.Code{sanity.MetadataGap}, older, true}, // what is missing are no-ops
		"a log under another name": {func(dir string) error { return os.Rename(dir+"/"+log0, dir+"/00000000000000000300.log") },
			[]sanity.Code{sanity.OffsetBelowBase}, newest, true},
		"a flipped bit in the log": {func(dir string) error { return edit(dir+"/"+log0, func(b []byte) []byte { b[200] ^= 1; return b }) },
			[]sanity.Code{sanity.BatchCRCMismatch}, newest, true},
		"a batch missing in the log": {func(dir string) error {
			return edit(dir+"/"+log0, func(b []byte) []byte { return append(b[:91:91], b[91+330:]...) })
		}, []sanity.Code{sanity.MetadataGap}, newest, true},
		"no leader epoch in any batch, which no checksum covers": {func(dir string) error {
			return edit(dir+"/"+log0, func(b []byte) []byte {
				for at := 0; at+recordbatch.HeaderSize <= len(b); at += recordbatch.LogOverhead + int(binary.BigEndian.Uint32(b[at+8:])) {
					copy(b[at+12:], "\xff\xff\xff\xff")
				}
				return b
			})
		}, nil, newest, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fixture.Copy(t, "kafka-4.4.0/closed/__cluster_metadata-0")
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			result, found := codes(t, dir, topiclog.All)
			if diff := cmp.Diff(c.want, found, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if result.Checkpoint == nil || "/"+filepath.Base(result.Checkpoint.File) != c.begins {
				t.Errorf("began with %+v", result.Checkpoint)
			}
			if same := cmp.Equal(sound.Image, result.Image, ignoreLeader...); same != c.same {
				t.Errorf("the same image: %v", same)
			}
		})
	}
}

// cutFront makes the log begin with the first batch at or behind an offset.
func cutFront(dir string, offset int64) error {
	b, err := os.ReadFile(dir + "/" + log0)
	if err != nil {
		return err
	}
	for batch, err := range recordbatch.NewScanner(bytes.NewReader(b), int64(len(b)), recordbatch.Options{}).Batches() {
		if err != nil {
			return err
		}
		if batch.BaseOffset() >= offset {
			name := fmt.Sprintf("%s/%020d.log", dir, batch.BaseOffset())
			return errors.Join(os.WriteFile(name, b[batch.Position:], 0o644), os.Remove(dir+"/"+log0))
		}
	}
	return errors.New("the log is too short")
}

func edit(file string, f func([]byte) []byte) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, f(b), 0o644)
}

// A file that is not read may be sound: it is no finding, and no success.
func TestUnreadStateFiles(t *testing.T) {
	for _, name := range []string{"meta.properties", "__cluster_metadata-0/quorum-state"} {
		dir := t.TempDir()
		copyFiles(t, fixture.Copy(t, "kafka-4.4.0/closed/__cluster_metadata-0"), dir+"/__cluster_metadata-0", "/"+log0)
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(file.Truncate(statefile.MaxTextSize+1), file.Close()); err != nil {
			t.Fatal(err)
		}
		result, err := cluster.Load(t.Context(), dir, topiclog.All, func(f sanity.Finding) { t.Errorf("%s: %+v", name, f) })
		if result == nil || !errors.Is(err, statefile.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
