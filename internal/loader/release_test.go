package loader_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
)

// Partitions of old brokers without their indexes, loaded by the same release:
// which of them rebuild the indexes at a clean start is known from runs, and
// all of them after an unclean stop. No log was changed in these runs.
func TestMissingIndexesByRelease(t *testing.T) {
	keepsThemEmpty := map[string]bool{}
	for r := range fixture.Recovered(t, "legacy") {
		if r.Clean {
			keepsThemEmpty[r.Version] = true
		}
	}
	seen := map[string]int{}
	for p := range fixture.Partitions(t, "legacy") {
		if p.Kind != fixture.Closed || p.Topic() == "__cluster_metadata" {
			continue
		}
		dir := p.Copy(t)
		names, err := filepath.Glob(filepath.Join(dir, "*index"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		version, err := kafkaversion.Parse(p.Version)
		if err != nil {
			t.Fatal(err)
		}
		o := loader.Options{Version: version, Interval: 256, MaxIndexSize: 4096}
		for _, clean := range []bool{true, false} {
			o.Clean = clean
			plan := planFor(t, dir, o)
			if !plan.Loads || plan.Lost.Any() {
				t.Errorf("%s, clean %v: %v, lost %+v", p, clean, plan.Failure, plan.Lost)
			}
			for _, d := range plan.Decisions {
				if !strings.HasSuffix(d.File, ".log") {
					continue
				}
				scanned := d.Action == loader.RebuildIndex || d.Action == loader.Recover
				if want := !clean || !keepsThemEmpty[p.Version]; scanned != want || d.SizeAfter != d.SizeBefore {
					t.Errorf("%s, clean %v: %s: %s", p, clean, d.File, d.Action)
				}
				seen[p.Version]++
			}
		}
	}
	if len(seen) < 6 || len(keepsThemEmpty) != 3 {
		t.Errorf("releases: %v; that keep indexes empty: %v", seen, keepsThemEmpty)
	}
}

// A log that ends before its log start is deleted at the start since 2.2.1
// (KAFKA-8306); earlier releases leave it, and nothing of it can be read.
func TestLogStartBehindTheEndByRelease(t *testing.T) {
	for p := range fixture.Partitions(t, "legacy/2.2.2") {
		if p.Kind != fixture.Closed || p.Name != "none-0" {
			continue
		}
		for text, deleted := range map[string]bool{"2.2.0": false, "2.2.1": true} {
			version, err := kafkaversion.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			o := loader.Options{Version: version, Interval: 256, MaxIndexSize: 4096, Clean: true, LogStart: 1000}
			if plan := planFor(t, p.Copy(t), o); !plan.Loads || plan.Lost.Any() != deleted {
				t.Errorf("%s: lost %+v, %v", text, plan.Lost, plan.Failure)
			}
		}
		return
	}
	t.Error("the capture has no such partition")
}
