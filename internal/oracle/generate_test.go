//go:build kafka

package oracle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Kafka reads back, recovers and loads all that it generated.
func TestGeneratedIsLegal(t *testing.T) {
	k := Open(t)
	seeds := int64(4)
	if testing.Short() {
		seeds = 1
	}
	seen := map[string]bool{}
	for _, profile := range Profiles {
		t.Run(profile, func(t *testing.T) {
			k := Open(t)
			for seed := range seeds {
				g := k.Generate(filepath.Join(t.TempDir(), "topic-0"), seed, GenerateOpts{Profile: profile})
				for _, f := range g.Features {
					seen[f] = true
				}
				checkLegal(t, k, g, fmt.Sprintf("seed %d", seed))
			}
		})
	}
	for _, want := range []string{
		"magic 0", "magic 1", "magic 2",
		"none", "gzip", "snappy", "lz4", "zstd",
		"gzip magic 0", "snappy magic 0", "lz4 magic 0", "gzip magic 1", "snappy magic 1", "lz4 magic 1",
		"CreateTime", "LogAppendTime", "NoTimestampType", "no timestamp", "largest timestamp",
		"idempotent", "transactional", "commit", "abort", "sequence wraps",
		"leader change", "kraft version", "voters", "snapshot header", "snapshot footer",
		"empty batch", "empty control batch", "delete horizon", "offset gap in a batch", "offset gap between batches",
		"huge", "many headers", "no leader epoch",
	} {
		if !seen[want] && !testing.Short() {
			t.Errorf("nothing generated has %q", want)
		}
	}
	if k.Version() == "" {
		t.Error("no version")
	}
}

// small keeps the preallocated index files, 10 MiB each otherwise, from making
// up most of the work.
var small = LogOpts{NowMs: 1_700_000_100_000, IndexInterval: Bytes(100), MaxIndexSize: 1 << 16}

func checkLegal(t *testing.T, k *Client, g *Generated, what string) {
	t.Helper()
	end := g.StartOffset
	for _, s := range g.Segments {
		seg := k.Records(SegmentFile(g.Dir, s.Base, ".log"), RecordsOpts{})
		if seg.Error != nil || seg.EndPosition != s.Size || seg.FileSize != s.Size {
			t.Errorf("%s: segment %d: %v, end %d of %d", what, s.Base, seg.Error, seg.EndPosition, s.Size)
		}
		n := 0
		for _, b := range seg.Batches {
			if !b.OK() || b.BaseOffset < end {
				t.Errorf("%s: batch at %d of segment %d: valid %v, %v, %v, %v, offset %d after %d", what, b.Position, s.Base,
					b.IsValid, b.RecordsError, b.FieldErrors, b.ControlErrors, b.BaseOffset, end)
			}
			end = b.LastOffset + 1
			n += len(b.Records)
		}
		if n != s.Records {
			t.Errorf("%s: segment %d: %d records, generated %d", what, s.Base, n, s.Records)
		}
		rec := k.Recover(g.Dir, s.Base, RecoverOpts{
			LogOpts:        small,
			ProducerState:  FromReplay,
			LogStartOffset: g.StartOffset,
		})
		if !rec.OK || rec.TruncatedBytes != 0 || rec.ValidBytes != s.Size || rec.NextOffset != max(end, s.Base) {
			t.Errorf("%s: recover %d: %+v", what, s.Base, rec)
		}
	}
	if end != g.EndOffset {
		t.Errorf("%s: ends at %d, generated %d", what, end, g.EndOffset)
	}
	loaded := k.Load(g.Dir, LoadOpts{LogOpts: small, LogStartOffset: g.StartOffset})
	if !loaded.Loaded || loaded.LogEndOffset != end || len(loaded.Segments) != len(g.Segments) {
		t.Errorf("%s: load: %v, end %d instead of %d, %d segments of %d", what, loaded.Failure, loaded.LogEndOffset, end,
			len(loaded.Segments), len(g.Segments))
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	k := Open(t)
	for _, profile := range []string{"mixed", "transactions", "kraft"} {
		a := k.Generate(filepath.Join(t.TempDir(), "a"), 7, GenerateOpts{Profile: profile})
		b := k.Generate(filepath.Join(t.TempDir(), "b"), 7, GenerateOpts{Profile: profile})
		c := k.Generate(filepath.Join(t.TempDir(), "c"), 8, GenerateOpts{Profile: profile})
		if !slices.Equal(a.Segments, b.Segments) || slices.Equal(a.Segments, c.Segments) {
			t.Fatalf("%s: %v, again %v, another seed %v", profile, a.Segments, b.Segments, c.Segments)
		}
		for _, s := range a.Segments {
			x, err1 := os.ReadFile(SegmentFile(a.Dir, s.Base, ".log"))
			y, err2 := os.ReadFile(SegmentFile(b.Dir, s.Base, ".log"))
			if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
				t.Errorf("%s: segment %d differs (%v, %v)", profile, s.Base, err1, err2)
			}
		}
	}
}
