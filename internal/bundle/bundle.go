package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/place"
	"github.com/kafsck/kafsck/sanity"
)

const (
	// topDir is the directory in the archive, so that unpacking makes one.
	topDir       = "kafsck-report/"
	manifestName = "manifest.json"
	// DefaultMaxBatches keeps a bundle small enough for a mail.
	DefaultMaxBatches = 10000
)

// Options say what goes into a bundle.
type Options struct {
	Tool        Tool
	Filter      logdir.Filter
	Workers     int
	Records     bool  // lengths and SHA-256 of keys, values and headers
	RedactNames bool  // topics, and files of unknown kinds
	MaxBatches  int64 // of each log; 0 is all
	// ReadRate bounds the bytes read in a second; 0 is no bound. Reading, if
	// there is one, is put between the bundle and each file that it copies;
	// Progress is told of what else is read.
	ReadRate int64
	Reading  func(io.ReaderAt) io.ReaderAt
	Progress func(bytes int64)
	// Recovery renders what a broker's start would do.
	Recovery *Recovery
}

// Recovery are the JSON objects of a plan for a broker's start.
type Recovery struct {
	Options  loader.DirOptions
	Start    func(*loader.Start) any
	Plan     func(*loader.Plan) any
	Decision func(*loader.Decision) any
}

// Result is what became of a bundle.
type Result struct {
	Bytes    int64 // of the archive
	Members  int
	Findings sanity.Summary
	LeftOut  []Omission
	// Failures are why a part could not be read. The rest is complete.
	Failures []error
}

// builder makes one bundle.
type builder struct {
	options  *Options
	names    *namer
	spool    *spool
	logSizes map[string]int64 // by path
	beside   sanity.Beside
	result   Result
}

// Write makes the bundle of target and gives it its name in dir. The error says
// why there is none; parts that could not be read are in the result.
func Write(ctx context.Context, target *logdir.Target, dir *place.Dir, name string, o Options) (*Result, error) {
	file, err := dir.Create(name + ".spool")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Discard() }()
	s, err := newSpool(file)
	if err != nil {
		return nil, err
	}
	b := &builder{options: &o, names: newNamer(target, o.RedactNames), spool: s, logSizes: map[string]int64{}}
	b.result.LeftOut = never(&o)
	if err := b.all(ctx, target); err != nil {
		return nil, err
	}
	manifest := Manifest{
		Type: "kafsck-report", Format: 1, Kafsck: o.Tool, Target: targetKind(target),
		Options: ManifestOpt{o.Records, o.RedactNames, o.MaxBatches},
		Members: s.members, LeftOut: b.result.LeftOut,
	}
	encoded, err := manifest.encode()
	if err != nil {
		return nil, err
	}
	archive, err := dir.Create(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = archive.Discard() }()
	if err := s.assemble(ctx, archive, encoded); err != nil {
		return nil, err
	}
	b.result.Bytes, b.result.Members = archive.Size(), len(s.members)+1
	return &b.result, archive.Commit()
}

func targetKind(t *logdir.Target) string {
	switch {
	case t.Dir != nil:
		return "log-dir"
	case t.Partition != nil:
		return "partition"
	}
	return "file"
}

// all makes the members. An error ends it: of the context, or of writing.
func (b *builder) all(ctx context.Context, t *logdir.Target) error {
	list := b.list(t)
	if err := b.files(list); err != nil {
		return err
	}
	if err := b.findings(ctx, t); err != nil {
		return err
	}
	if err := b.recovery(ctx, t); err != nil {
		return err
	}
	for i := range list {
		err := b.item(ctx, &list[i])
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case b.spool.err != nil:
			return b.spool.err
		case err != nil:
			b.omit(&list[i], err)
		}
	}
	return nil
}

// item adds what may be shown of one file's content.
func (b *builder) item(ctx context.Context, it *item) error {
	switch kind := it.entry.File.Kind; kind {
	case logdir.KindLog, logdir.KindKRaftCheckpoint, logdir.KindBootstrapCheckpoint:
		return b.headers(ctx, it)
	case logdir.KindOffsetIndex, logdir.KindTimeIndex, logdir.KindTxnIndex, logdir.KindProducerSnapshot:
		return b.binary(it)
	case logdir.KindUnknown, logdir.KindLock:
		return nil
	}
	return b.state(it)
}

// omit notes a file whose content isn't in the bundle. A file that its reader
// refuses, or that a running broker has taken away since it was listed, is no
// failure.
func (b *builder) omit(it *item, err error) {
	var pathErr *fs.PathError
	why := "malformed, so that it may hold anything"
	switch {
	case errors.Is(err, errStrange):
		why = errStrange.Error()
	case isGone(it.entry.Path, err):
		why = goneSince
	case errors.As(err, &pathErr) || isReading(err):
		why = b.names.text(err.Error())
		b.result.Failures = append(b.result.Failures, err)
	}
	b.result.LeftOut = append(b.result.LeftOut, Omission{File: it.shown, What: "its content", Why: why})
}

// goneSince is why something isn't in a bundle that a running broker took away.
const goneSince = "the broker that was running has removed or renamed it since it was listed"

func isGone(path string, err error) bool {
	_, gone := errors.AsType[*logdir.GoneError](logdir.Listed(path, err))
	return gone
}

func (b *builder) reading(r io.ReaderAt) io.ReaderAt {
	if b.options.Reading == nil {
		return r
	}
	return b.options.Reading(r)
}

// lines is a member of one JSON object a line.
type lines struct {
	w       *memberWriter
	encoder *json.Encoder
}

func (b *builder) lines(name, what string) lines {
	w := b.spool.begin(name, what)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return lines{w, encoder}
}

func (b *builder) findings(ctx context.Context, t *logdir.Target) error {
	w := b.spool.begin("findings.ndjson", "what sanity-check finds, as its JSON")
	var line []byte
	summary, err := sanity.Check(ctx, []*logdir.Target{t}, sanity.Options{
		Filter: b.options.Filter, Workers: b.options.Workers, ReadRate: b.options.ReadRate, Progress: b.options.Progress,
	}, func(f *sanity.Finding) error {
		line = append(b.names.finding(f).AppendJSON(line[:0]), '\n')
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	b.result.Findings = summary
	s := &b.result.Findings
	exit := 0
	switch {
	case s.Unchecked > 0:
		exit = 1
	case s.Errors > 0:
		exit = 3
	}
	_, _ = w.Write(append(s.AppendJSON(line[:0], exit), '\n')) // its end tells
	return w.end()
}

// recovery adds the plan for a broker's start.
func (b *builder) recovery(ctx context.Context, t *logdir.Target) error {
	r := b.options.Recovery
	if t.File != nil {
		b.result.LeftOut = append(b.result.LeftOut, Omission{What: "recovery.ndjson, what a broker does on its next start", Why: "a single file has no start"})
		return nil
	}
	l := b.lines("recovery.ndjson", "what a broker does with the files on its next start, as recovery's JSON")
	put := func(v any) { _ = l.encoder.Encode(v) } // its end tells
	plan := func(loaded loader.Loaded) {
		if loaded.Err != nil {
			if ctx.Err() == nil && !isGone(loaded.Path, loaded.Err) {
				b.noPlan(loaded.Err)
			}
			return
		}
		for i := range loaded.Plan.Decisions {
			put(r.Decision(b.names.decision(&loaded.Plan.Decisions[i])))
		}
		put(r.Plan(b.names.plan(loaded.Plan)))
	}
	if t.Partition != nil {
		p, err := loader.Partition(ctx, t.Partition, r.Options.Options)
		plan(loader.Loaded{Path: t.Path, Plan: p, Err: err})
	} else {
		start, err := loader.Dir(t.Dir, r.Options)
		if err != nil {
			b.noPlan(err)
			return l.w.end()
		}
		put(r.Start(b.names.start(start)))
		for loaded := range start.Plans(ctx) {
			if plan(loaded); ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return errors.Join(ctx.Err(), l.w.end())
}

// noPlan notes why recovery.ndjson says nothing, or not all.
func (b *builder) noPlan(err error) {
	b.result.Failures = append(b.result.Failures, err)
	b.result.LeftOut = append(b.result.LeftOut, Omission{What: "in recovery.ndjson, what can't be said", Why: b.names.text(err.Error())})
}
