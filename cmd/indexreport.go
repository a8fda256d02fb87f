package cmd

import (
	"fmt"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/indexview"
	"github.com/kafsck/kafsck/sanity"
)

// indexReport is what a pass over one index found.
type indexReport struct {
	file      *indexview.File
	layout    indexfile.Layout
	summary   indexview.Summary
	distances indexfile.Distances
	density   density
}

// show shows one index: its entries unless in a table, then the summary.
// Damage of a log that was shown is not repeated. The report comes with an error
// where a part of it is there.
func (run *indexRun) show(path string) (*indexReport, error) {
	e := run.emitter
	file, err := indexview.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	file.Wrap(run.reading)
	if file.LogErr != nil {
		e.failed(file.LogErr)
	}
	r := &indexReport{file: file}
	findings := indexview.Findings{File: path, Kind: file.Kind}
	show := indexShow{e: e, paint: run.paint, report: r, width: terminalWidth(e.global.streams.Out, 0)}
	switch file.Kind {
	case indexfile.Offset:
		err = passOver(r, file.Offsets(), func(x *indexfile.OffsetReader) error {
			r.summary, err = indexview.Offsets(x, &r.layout, file.Log, func(v []indexview.Offset) error {
				findings.Offsets(v)
				show.offsets(v)
				return e.err
			})
			if err == nil {
				r.distances, err = x.Distances(r.layout.Entries - r.summary.Stale)
			}
			return err
		})
	case indexfile.Time:
		err = passOver(r, file.Times(), func(x *indexfile.TimeReader) error {
			r.summary, err = indexview.Times(x, &r.layout, file.Log, func(v []indexview.Time) error {
				findings.Times(v)
				show.times(v)
				return e.err
			})
			if err == nil {
				r.distances, err = x.Distances(r.layout.Entries - r.summary.Stale)
			}
			return err
		})
	default:
		err = passOver(r, file.Txns(), func(x *indexfile.TxnReader) error {
			r.summary, err = indexview.Txns(x, &r.layout, file.Log, func(v []indexview.Txn) error {
				findings.Txns(v)
				show.txns(v)
				return e.err
			})
			return err
		})
	}
	if err == nil {
		show.end()
	}
	e.findings(append(sizeFindings(r), findings.List()...))
	if file.Log != nil && !run.shown[file.Log.File] {
		run.shown[file.Log.File] = true
		e.findings(logFindings(&r.summary))
	}
	return r, err
}

// passOver finds the entries in use and lets run pass over them.
func passOver[R interface {
	Layout() (indexfile.Layout, error)
}](r *indexReport, reader R, run func(R) error) error {
	layout, err := reader.Layout()
	r.layout = layout
	if err != nil {
		return err
	}
	return run(reader)
}

var remainderCodes = map[indexfile.Kind]sanity.Code{
	indexfile.Offset: sanity.IndexSize, indexfile.Time: sanity.TimeIndexSize, indexfile.Txn: sanity.TxnIndexSize,
}

// sizeFindings reports a size that isn't a whole number of entries.
func sizeFindings(r *indexReport) []sanity.Finding {
	if r.layout.Remainder == 0 {
		return nil
	}
	f := sanity.At(remainderCodes[r.file.Kind], r.file.Path)
	f.Position, f.EndPosition = r.file.Size-int64(r.layout.Remainder), r.file.Size
	f.Message = fmt.Sprintf("%d bytes are no whole number of entries of %d bytes", r.file.Size, r.file.Kind.EntrySize())
	return []sanity.Finding{f}
}

// logFindings reports damage of the log that kept entries from being judged.
func logFindings(s *indexview.Summary) (list []sanity.Finding) {
	for _, damage := range s.LogDamage {
		list = append(list, sanity.FromCorrupt(damage))
	}
	return list
}
