package cmd

import (
	"io"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
)

// parseSelection reads flags as a command would.
func parseSelection(t *testing.T, args ...string) (*selection, error) {
	t.Helper()
	var s selection
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	s.addFlags(f)
	return &s, f.Parse(args)
}

func TestSelection(t *testing.T) {
	s, err := parseSelection(t, "--topic", "orders*", "--partition", "1,3", "--partition", "7", "--newest", "2",
		"--modified-since", "2026-01-31T09:00:00Z", "--rate-limit", "100MB/s")
	if err != nil {
		t.Fatal(err)
	}
	filter, err := s.filter(nil)
	if err != nil || filter.Topic != "orders*" || len(filter.Partitions) != 3 || filter.Partitions[2] != 7 || filter.Newest != 2 ||
		!filter.ModifiedSince.Equal(time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v, %v", filter, err)
	}
	if rate, err := s.rate(); rate != 100e6 || err != nil {
		t.Errorf("rate %d, %v", rate, err)
	}
	s, _ = parseSelection(t)
	filter, err = s.filter(nil)
	if err != nil || filter.ChoosesPartitions() || filter.Newest != 0 || !filter.ModifiedSince.IsZero() {
		t.Errorf("without flags: %+v, %v", filter, err)
	}
	if _, err := s.reading(t.Context(), nil); err != nil {
		t.Errorf("without flags: %v", err)
	}
}

func TestSelectionRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"--topic", "[a"}, {"--partition", "-1"}, {"--partition", "x"}, {"--newest", "-1"},
		{"--modified-since", "yesterday"}, {"--rate-limit", "fast"}, {"--rate-limit", "0"},
	} {
		s, err := parseSelection(t, args...)
		if err == nil {
			_, err = s.filter(nil)
		}
		if err == nil {
			_, err = s.reading(t.Context(), nil)
		}
		if err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

// The total of a bar is what is going to be read: everything, or what the
// filter chooses.
func TestTotalBytes(t *testing.T) {
	dir := fixture.CaptureDir(t, "kafka-4.4.0")
	partition, err := logdir.OpenPartition(dir + "/closed/many-0")
	if err != nil || len(partition.Segments) < 2 {
		t.Fatalf("%d segments, %v", len(partition.Segments), err)
	}
	var all, newest int64
	last := partition.Segments[len(partition.Segments)-1].BaseOffset
	for _, e := range partition.Files() {
		all += e.Size
		if !e.File.Kind.IsSegment() || e.File.BaseOffset == last {
			newest += e.Size
		}
	}
	if got := totalBytes([]string{partition.Path}, logdir.Filter{}); got != all {
		t.Errorf("all: %d, want %d", got, all)
	}
	if got := totalBytes([]string{partition.Path}, logdir.Filter{Newest: 1}); got != newest || newest >= all {
		t.Errorf("newest: %d, want %d of %d", got, newest, all)
	}
	log := partition.Segments[0].Log
	if got := totalBytes([]string{log.Path, log.Path, dir + "/nothing"}, logdir.Filter{Newest: 1}); got != 2*log.Size {
		t.Errorf("files: %d, want %d", got, 2*log.Size)
	}
	whole := totalBytes([]string{dir + "/closed"}, logdir.Filter{})
	if got := totalBytes([]string{dir + "/closed"}, logdir.Filter{Topic: "many"}); got < all || got >= whole {
		t.Errorf("one topic: %d of %d", got, whole)
	}
}
