package cmd

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/kafsck/kafsck/internal/triage"
	"github.com/kafsck/kafsck/sanity"
)

// sanityTable is one line a partition, or a file that was given alone.
type sanityTable struct {
	global *globalOptions
	tally  *triage.Tally
	rows   [][]string
	counts sanity.Summary // findings shown of the unit at hand
	worst  *sanity.Finding
}

func (r *sanityTable) finding(f *sanity.Finding) error {
	r.counts.Count(f)
	if r.worst == nil || f.Severity > r.worst.Severity {
		r.worst = f
	}
	return nil
}

func (r *sanityTable) unit(u *sanity.Unit) error {
	counts, worst := r.counts, r.worst
	r.counts, r.worst = sanity.Summary{}, nil
	// What lies beside the partitions of a log dir has a line only where
	// there is something to say.
	if worst == nil && !u.IsPartition && u.Summary.Files == 0 {
		return nil
	}
	verdict := "sound"
	if worst != nil && worst.Severity > sanity.Info {
		verdict = string(worst.Code)
	}
	segments := "-"
	if u.IsPartition {
		segments = strconv.Itoa(u.Segments)
	}
	r.rows = append(r.rows, []string{
		u.Path, segments, strconv.FormatInt(u.Summary.Bytes, 10), offsetOrDash(u.FirstOffset), offsetOrDash(u.LastOffset),
		strconv.FormatInt(u.Summary.Batches, 10), strconv.FormatInt(u.Summary.Records, 10),
		strconv.FormatInt(counts.Errors, 10), strconv.FormatInt(counts.Warnings, 10), strconv.FormatInt(counts.Infos, 10),
		verdict,
	})
	return nil
}

// interruptedUnit stands for the unit of a finding that no unit came for: the
// check was interrupted before it was done.
func interruptedUnit(f *sanity.Finding) *sanity.Unit {
	return &sanity.Unit{Path: filepath.Dir(f.File), FirstOffset: -1, LastOffset: -1}
}

func (r *sanityTable) end(s *sanity.Summary, exit int) error {
	if r.worst != nil {
		if err := r.unit(interruptedUnit(r.worst)); err != nil {
			return err
		}
	}
	if len(r.rows) > 0 {
		header := []string{"path", "segments", "bytes", "firstOffset", "lastOffset", "batches", "records",
			"errors", "warnings", "infos", "verdict"}
		if err := r.global.writeTable(r.global.streams.Out, header, r.rows); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(r.global.streams.Out, verdictLine(s, exit, r.tally))
	return err
}
