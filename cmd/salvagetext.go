package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/kafsck/kafsck/internal/dump"
	"github.com/kafsck/kafsck/internal/salvage"
	"github.com/kafsck/kafsck/recordbatch"
)

var errNoPartitions = errors.New("there is no partition to salvage")

// salvageRenderer shows what a salvage tells: all of it in JSON, what is lost
// or was decided in text, one line a partition in a table.
type salvageRenderer struct {
	e    *emitter
	rows [][]string
}

func newSalvageRenderer(e *emitter) *salvageRenderer { return &salvageRenderer{e: e} }

func (r *salvageRenderer) object(object any) error {
	switch {
	case r.e.format == formatJSON:
		r.e.object(object)
	case r.e.format == formatTable:
		if s, ok := object.(*salvage.Summary); ok {
			r.rows = append(r.rows, salvageRow(s))
		}
	default:
		r.text(object)
	}
	return r.e.err
}

// text is one line for each thing that somebody should look at.
func (r *salvageRenderer) text(object any) {
	switch o := object.(type) {
	case *salvage.Left:
		if !salvage.Lossless(o.Reason) {
			r.e.line("%s: left: %s, position %d to %d%s: %s: %s", quoted(o.Partition), quoted(o.File), o.Position, o.EndPosition,
				offsetsText(o.FirstOffset, o.LastOffset), o.Reason, quoted(o.Message))
		}
	case *salvage.Decision:
		r.e.line("%s: conflict%s: %s kept (epoch %d), %s left (epoch %d), decided by %s", quoted(o.Partition),
			offsetsText(o.FirstOffset, o.LastOffset), quoted(o.Kept), o.KeptEpoch, quoted(o.Left), o.LeftEpoch, o.DecidedBy)
	case *salvage.Gap:
		r.e.line("%s: lost%s", quoted(o.Partition), offsetsText(o.FirstOffset, o.LastOffset))
	case *salvage.Salvaged:
		if o.Moved {
			r.e.line("%s: moved%s: stood at %s, position %d, behind later offsets", quoted(o.Partition), offsetsText(o.FirstOffset, o.LastOffset), quoted(o.File), o.Position)
		}
	case *salvage.Summary:
		r.summary(o)
	}
}

func (r *salvageRenderer) summary(s *salvage.Summary) {
	r.e.line("%s: kept %s with %s, %d bytes%s, in %s", quoted(s.Partition), counted(s.Batches, "batch"), counted(s.Records, "record"),
		s.Bytes, offsetsText(s.FirstOffset, s.LogEndOffset-1), counted(s.Segments, "segment"))
	if s.Directory != "" {
		r.e.line("  written to %s", quoted(s.Directory))
	}
	if s.Left.Ranges > 0 {
		r.e.line("  left behind: %s, %d bytes", counted(s.Left.Ranges, "range"), s.Left.Bytes)
	}
	if s.Duplicates.Ranges > 0 {
		r.e.line("  of which there are other copies: %s", counted(s.Duplicates.Batches, "batch"))
	}
	if s.LostOffsets > 0 {
		r.e.line("  lost: %s in %s; another replica may have them: --from PATH", counted(s.LostOffsets, "offset"), counted(s.Gaps, "gap"))
	}
	if none := int64(s.LogEndOffset-s.FirstOffset) - s.Records - s.LostOffsets; s.FirstOffset >= 0 && none > 0 && !r.e.global.quiet {
		r.e.line("  no record at %s among these: compacted away, or in segments that aren't there", counted(none, "offset"))
	}
	if s.TailDamaged {
		r.e.line("  the end of the log is damaged: what was written behind offset %d is lost", s.LogEndOffset-1)
	}
	if s.Unreadable > 0 {
		r.e.line("  the disk did not give %d bytes away", s.Unreadable)
	}
	if s.LogStartOffset > 0 && s.FirstOffset >= 0 && s.FirstOffset < s.LogStartOffset {
		r.e.line("  records below %d had been deleted; a broker hides them only with an entry in its log-start-offset-checkpoint", s.LogStartOffset)
	}
}

func (r *salvageRenderer) end() {
	if r.e.format == formatTable {
		r.e.table([]string{"partition", "segments", "batches", "records", "bytes", "firstOffset", "logEndOffset", "left", "lostOffsets", "conflicts"}, r.rows)
	}
}

func salvageRow(s *salvage.Summary) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{
		s.Partition, number(s.Segments), number(s.Batches), number(s.Records), number(s.Bytes),
		offsetText(s.FirstOffset), offsetText(s.LogEndOffset), number(s.Left.Ranges), number(s.LostOffsets), number(s.Conflicts),
	}
}

func offsetText(o salvage.Offset) string {
	if o < 0 {
		return "-"
	}
	return strconv.FormatInt(int64(o), 10)
}

// offsetsText is ", offsets A to B", or nothing where they aren't known.
func offsetsText(first, last salvage.Offset) string {
	switch {
	case first < 0:
		return ""
	case last <= first:
		return fmt.Sprintf(", offset %d", first)
	}
	return fmt.Sprintf(", offsets %d to %d", first, last)
}

// extractRecords prints the records of one partition. What can't be had of it
// is said among them.
func extractRecords(ctx context.Context, e *emitter, job *salvage.Job, first, last int64, options salvage.Options) (*salvage.Summary, error) {
	format := dump.DefaultOptions()
	render := dump.NewRecordJSON(&format)
	var line []byte
	options.Tell = func(object any) error {
		if _, ok := object.(*salvage.Salvaged); !ok {
			e.object(object)
		}
		return e.err
	}
	return salvage.Records(ctx, job, first, last, options, func(file string, b *recordbatch.Batch, record *recordbatch.Record) error {
		line = render.Append(line[:0], file, b, record)
		_, err := e.out.Write(line)
		return err
	})
}
