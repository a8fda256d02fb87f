package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/indexview"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

func newIndexCommand(global *globalOptions) *cobra.Command {
	command := &cobra.Command{
		Use:   "index [flags] PATH...",
		Short: "Show the entries of index files, what they point at and whether it is true",
		Long: `Show the entries of .index, .timeindex and .txnindex files and a summary of each:
the bytes in use, the warm section, the distances between entries. Beside its
.log every entry is held against the batches there. A PATH is an index, a .log
(its indexes), a partition directory or a log dir (all indexes in it).

Examples:
  kafsck index 00000000000000000000.index
  kafsck index --format table orders-0
  kafsck index --format json orders-0 | jq 'select(.ok == false)'
` + exitStatusHelp,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := global.textTableJSON()
			if err != nil {
				return err
			}
			paint, err := global.painter()
			if err != nil {
				return err
			}
			return runIndex(cmd.Context(), newEmitter(global, format), paint, args)
		},
		ValidArgsFunction: completeFiles,
	}
	return command
}

func runIndex(ctx context.Context, e *emitter, paint painter, paths []string) error {
	var reports []*indexReport
	for _, path := range paths {
		files, err := indexFiles(path)
		if err != nil {
			e.failed(err)
		}
		for _, file := range files {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			report, err := showIndex(e, paint, file)
			if err != nil {
				if isBrokenPipe(err) {
					return err
				}
				e.failed(err)
			}
			if report != nil && e.format == formatTable {
				reports = append(reports, report)
			}
		}
	}
	if e.format == formatTable {
		e.keep(indexTable(e.out, reports))
	}
	return e.end()
}

// indexFiles are the indexes that a path stands for, in order. With an error
// they are those found all the same.
func indexFiles(path string) ([]string, error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, err
	}
	switch {
	case target.File != nil && target.File.File.Kind == logdir.KindLog:
		files := siblingIndexes(path)
		if len(files) == 0 {
			err = fmt.Errorf("%s: no index beside it", path)
		}
		return files, err
	case target.File != nil:
		return []string{path}, nil
	case target.Partition != nil:
		files, err := partitionIndexes(target.Partition)
		if len(files) == 0 {
			err = errors.Join(err, fmt.Errorf("%s: no index in it", path))
		}
		return files, err
	}
	var files []string
	var errs []error
	for _, ref := range target.Dir.Partitions {
		partition, err := ref.Open()
		errs = append(errs, err)
		if partition != nil {
			more, err := partitionIndexes(partition)
			files, errs = append(files, more...), append(errs, err)
		}
	}
	return files, errors.Join(errs...)
}

func partitionIndexes(p *logdir.Partition) (files []string, err error) {
	for _, e := range p.Files() {
		if _, ok := indexview.KindOf(e.File.Kind); ok && e.File.Suffix == logdir.NoSuffix {
			files = append(files, e.Path)
		}
	}
	for _, issue := range p.Issues {
		if issue.Kind == logdir.Unreadable {
			err = errors.Join(err, issue)
		}
	}
	return files, err
}

// siblingIndexes are the indexes beside a .log.
func siblingIndexes(log string) (files []string) {
	for _, kind := range []logdir.Kind{logdir.KindOffsetIndex, logdir.KindTimeIndex, logdir.KindTxnIndex} {
		if name := logdir.SiblingPath(log, kind); name != "" {
			if target, err := logdir.Open(name); err == nil && target.File != nil {
				files = append(files, name)
			}
		}
	}
	return files
}

// indexReport is what a pass over one index found.
type indexReport struct {
	file      *indexview.File
	layout    indexfile.Layout
	summary   indexview.Summary
	distances indexfile.Distances
	density   density
}

// showIndex shows one index: its entries unless in a table, then the summary.
// The report comes with an error where a part of it is there.
func showIndex(e *emitter, paint painter, path string) (*indexReport, error) {
	file, err := indexview.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.LogErr != nil {
		e.failed(file.LogErr)
	}
	r := &indexReport{file: file}
	findings := indexview.Findings{File: path, Kind: file.Kind}
	show := indexShow{e: e, paint: paint, report: r}
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
	e.findings(append(sizeFindings(r), findings.List...))
	e.findings(logFindings(&r.summary))
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
