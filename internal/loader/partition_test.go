package loader_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
)

func defaults() loader.Options {
	return loader.Options{Version: kafkaversion.Latest, Interval: 4096, MaxIndexSize: 10 << 20}
}

func planFor(t testing.TB, dir string, o loader.Options) *loader.Plan {
	t.Helper()
	p, err := logdir.OpenPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := loader.Partition(context.Background(), p, o)
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return plan
}

func simple(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// What Kafka's own loader made of damaged partitions after an unclean stop:
// segments, offsets, files that went and came, or the exception.
func TestForecastsOfDamagedPartitions(t *testing.T) {
	cases := zoo(t)
	expected := fixture.RecoveryCases(t)
	for _, want := range expected {
		t.Run(want.Name, func(t *testing.T) {
			t.Parallel()
			c, known := cases[want.Name]
			if !known {
				t.Fatal("no such damage here")
			}
			dir := c.build(t)
			got := planFor(t, dir, defaults())
			if !want.Loaded {
				if got.Loads || simple(got.Failure.Class) != want.Failure {
					t.Fatalf("loads %v, %v; want %s", got.Loads, got.Failure, want.Failure)
				}
				return
			}
			if !got.Loads {
				t.Fatalf("does not load: %v", got.Failure)
			}
			if got.LogStart != want.LogStartOffset || got.LogEnd != want.LogEndOffset {
				t.Errorf("offsets %d to %d, want %d to %d", got.LogStart, got.LogEnd, want.LogStartOffset, want.LogEndOffset)
			}
			var segments [][2]int64
			for _, s := range got.Segments {
				segments = append(segments, [2]int64{s.BaseOffset, s.Size})
			}
			if !slices.Equal(segments, want.Segments) {
				t.Errorf("segments %v, want %v", segments, want.Segments)
			}
			if !slices.Equal(got.Removed, want.Removed) || !slices.Equal(got.Added, want.Added) {
				t.Errorf("removed %v, added %v; want %v, %v", got.Removed, got.Added, want.Removed, want.Added)
			}
		})
	}
	if len(expected) < 90 || len(cases) != len(expected) {
		t.Errorf("%d cases, %d expectations", len(cases), len(expected))
	}
}
