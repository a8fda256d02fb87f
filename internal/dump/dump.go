package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/sanity"
)

// FileSummary is what a table shows of one file.
type FileSummary struct {
	File string
	Kind string
	Summary
}

// Path dumps a file, all files of a partition, or all of a log dir. What can't
// be read doesn't keep the rest from being dumped: the error joins what went
// wrong.
func Path(ctx context.Context, sink *Sink, path string, o *Options) ([]FileSummary, error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, err
	}
	switch {
	case target.File != nil:
		s, err := file(ctx, sink, *target.File, o)
		return []FileSummary{s}, err
	case target.Partition != nil:
		return partition(ctx, sink, target.Partition, o)
	}
	rows, err := entries(ctx, sink, target.Dir.Files(), o)
	errs := []error{err, target.Dir.Unread()}
	for _, ref := range o.Filter.Select(target.Dir.Partitions) {
		p, err := ref.Open()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		more, err := partition(ctx, sink, p, o)
		rows = append(rows, more...)
		errs = append(errs, err)
		if ctx.Err() != nil {
			return rows, ctx.Err()
		}
	}
	return rows, errors.Join(errs...)
}

// partition dumps the files of a partition that the filter chooses.
func partition(ctx context.Context, sink *Sink, p *logdir.Partition, o *Options) ([]FileSummary, error) {
	chosen := o.Filter.Chosen(p)
	rows, err := entries(ctx, sink, slices.DeleteFunc(p.Files(), func(e logdir.Entry) bool { return !chosen(e) }), o)
	return rows, errors.Join(err, p.Unread())
}

// entries dumps the files of a directory. Those that mean nothing are passed
// over, and of one that a running broker has taken away since it was listed the
// error says so (logdir.GoneError).
func entries(ctx context.Context, sink *Sink, files []logdir.Entry, o *Options) ([]FileSummary, error) {
	var rows []FileSummary
	var errs []error
	for _, e := range files {
		if e.File.Kind == logdir.KindUnknown || e.File.Kind == logdir.KindLock {
			continue
		}
		row, err := file(ctx, sink, e, o)
		err = logdir.Listed(e.Path, err)
		if _, gone := errors.AsType[*logdir.GoneError](err); !gone {
			rows = append(rows, row)
		}
		if err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			return rows, ctx.Err()
		}
	}
	return rows, errors.Join(errs...)
}

// errUnknownKind is about a file whose name says nothing. Kafka's tool ignores
// such a file with a message.
var errUnknownKind = errors.New("unknown kind of file: the name is none that a broker writes")

func file(ctx context.Context, sink *Sink, e logdir.Entry, o *Options) (FileSummary, error) {
	before := sink.Summary
	sink.Summary = Summary{FirstOffset: -1, LastOffset: -1}
	row := FileSummary{File: e.Path, Kind: e.File.Kind.String()}
	err := dispatch(ctx, sink, e, o)
	row.Summary = sink.Summary
	sink.Summary.add(&before)
	return row, err
}

func (s *Summary) add(o *Summary) {
	s.Bytes += o.Bytes
	s.Batches += o.Batches
	s.Records += o.Records
	s.Findings += o.Findings
	s.Unchecked += o.Unchecked
}

func dispatch(ctx context.Context, sink *Sink, e logdir.Entry, o *Options) error {
	f, size, err := logdir.OpenFile(e.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	var r io.ReaderAt = f
	if o.Reading != nil {
		r = o.Reading(f)
	}
	shown := javaPath(e.Path)
	if o.Format == Text || o.Format == Hex {
		if err := sink.printf("Dumping %s\n", sink.path(shown)); err != nil {
			return err
		}
	}
	sink.Summary.Bytes = size
	name := e.File
	kind := name.Kind
	if isSegmentFile(kind) && !name.HasOffset {
		return fmt.Errorf("%s: the name has no offset in front", e.Path)
	}
	ix := indexDump{Options: o, sink: sink, file: shown, fileJSON: appendText(nil, e.Path), base: name.BaseOffset}
	switch kind {
	case logdir.KindLog, logdir.KindKRaftCheckpoint, logdir.KindBootstrapCheckpoint:
		return log(ctx, sink, e, o, r, size)
	case logdir.KindOffsetIndex:
		err = ix.offsets(r, size)
	case logdir.KindTimeIndex:
		err = ix.times(r, size)
	case logdir.KindTxnIndex:
		err = ix.transactions(r, size)
	case logdir.KindUnknown, logdir.KindLock:
		if kind == logdir.KindLock {
			return nil
		}
		return fmt.Errorf("%s: %w", e.Path, errUnknownKind)
	default:
		return state(sink, e, o, r, size)
	}
	if err == nil && (!o.IndexSanityCheck || kind == logdir.KindTxnIndex) {
		err = ix.judge(ctx, e)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	return nil
}

func isSegmentFile(kind logdir.Kind) bool {
	return kind.IsSegment() || kind == logdir.KindKRaftCheckpoint || kind == logdir.KindProducerSnapshot
}

// log dumps a .log or .checkpoint file, with its first line.
func log(ctx context.Context, sink *Sink, e logdir.Entry, o *Options, r io.ReaderAt, size int64) error {
	d := &logDump{
		Options: o, sink: sink, file: e.Path, fileJSON: appendText(nil, e.Path),
		keyText: o.ValueFormat.text(o.KeyText), valueText: o.ValueFormat.text(o.ValueText), headerText: StringText,
	}
	d.topic, d.ownTopic = o.topicOf(e)
	if o.Terminal {
		d.keyText, d.valueText, d.headerText = quoted(d.keyText), quoted(d.valueText), quoted(d.headerText)
	}
	first := ""
	switch e.File.Kind {
	case logdir.KindLog:
		d.base = e.File.BaseOffset
		first = fmt.Sprintf("Log starting offset: %d\n", d.base)
	case logdir.KindKRaftCheckpoint:
		first = fmt.Sprintf("Snapshot end offset: %d, epoch: %d\n", e.File.BaseOffset, e.File.Epoch)
	default:
		first = "KRaft bootstrap snapshot\n"
	}
	if o.Format == Text {
		if err := sink.printf("%s", first); err != nil {
			return err
		}
	}
	return d.run(ctx, r, size)
}

// name is the last element of the file's path.
func (d *logDump) name() string { return filepath.Base(d.file) }

// javaPath is a path as java.io.File shows it: without repeated or trailing
// separators.
func javaPath(path string) string {
	clean := make([]byte, 0, len(path))
	for i := range len(path) {
		if path[i] == '/' && len(clean) > 0 && clean[len(clean)-1] == '/' {
			continue
		}
		clean = append(clean, path[i])
	}
	if len(clean) > 1 && clean[len(clean)-1] == '/' {
		clean = clean[:len(clean)-1]
	}
	return string(clean)
}

// malformed reports a file that its reader refused.
func malformed(sink *Sink, code sanity.Code, file string, position int64, err error) error {
	f := sanity.At(code, file)
	f.Position = position
	f.Message = err.Error()
	return sink.finding(&f)
}
