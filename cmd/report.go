package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/bundle"
	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/place"
)

// reportFlags are the flags of report.
type reportFlags struct {
	out         string
	records     bool
	redactNames bool
	maxBatches  int64
	selection
}

func newReportCommand(global *globalOptions) *cobra.Command {
	flags := reportFlags{maxBatches: bundle.DefaultMaxBatches}
	command := &cobra.Command{
		Use:   "report [flags] PATH --out FILE.tar.gz",
		Short: "Make a support bundle to pass on, without keys and values",
		Long: `Make a support bundle of a file, a partition or a log dir: the list of files, the
headers of all batches, what sanity-check finds, what a broker's start would do,
indexes, producer snapshots and checkpoints. No key, value or header is in it.
manifest.json, its first member, says what each member is and what was left out;
look through it before you pass it on.

With --records, each record is listed with the lengths and SHA-256 of its keys
and values. Whoever can guess a value can then tell whether it is there.

Names of topics stand in paths and checkpoints; --redact-names replaces them, and
the names of unknown files, by hashes of them.

FILE must not exist, and not lie in a log dir. It is there when it is complete,
also if damage was found (exit 3) or a part could not be read (exit 1).

Examples:
  kafsck report orders-3 --out report.tar.gz
  kafsck report --topic 'orders*' --newest 2 --redact-names /var/lib/kafka/data --out /tmp/report.tar.gz
  tar -xOf report.tar.gz kafsck-report/manifest.json
` + exitStatusHelp,
		Args: onePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), global, args[0])
		},
	}
	f := command.Flags()
	f.StringVar(&flags.out, "out", "", "write the bundle to this new `FILE`")
	f.BoolVar(&flags.records, "records", false, "add lengths and SHA-256 of what is in each record")
	f.BoolVar(&flags.redactNames, "redact-names", false, "replace the names of topics and unknown files by hashes")
	f.Int64Var(&flags.maxBatches, "max-batches", flags.maxBatches, "the headers of the first `N` batches of each log, and of damaged ones; 0 is all")
	flags.selection.addFlags(f)
	return command
}

func (r *reportFlags) run(ctx context.Context, global *globalOptions, path string) error {
	format, err := global.textTableJSON()
	switch {
	case err != nil:
		return err
	case r.out == "":
		return usageErrorf("report needs --out FILE.tar.gz")
	case r.maxBatches < 0:
		return usageErrorf("--max-batches must not be negative")
	}
	options := bundle.Options{Workers: global.workers, Records: r.records, RedactNames: r.redactNames, MaxBatches: r.maxBatches}
	if options.Filter, err = r.selection.filter([]string{path}); err != nil {
		return err
	}
	if options.ReadRate, err = r.selection.rate(); err != nil {
		return err
	}
	target, err := logdir.Open(path)
	if err != nil {
		return err
	}
	global.noteEmpty([]string{path}, &options.Filter)
	dir, name, err := place.Beside(r.out, []string{path})
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	// Each log is read for its headers and for what is wrong with it.
	bar, err := global.startProgress(func() int64 { return 2 * totalBytes([]string{path}, options.Filter) })
	if err != nil {
		return err
	}
	defer bar.finish()
	if options.Reading, err = r.selection.reading(ctx, bar); err != nil {
		return err
	}
	options.Progress = bar.read
	options.Tool = bundle.Tool{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	options.Tool.Version, options.Tool.Commit, _ = versionInfo()
	options.Recovery = recoveryOfReport(options.Filter, global.workers)
	if options.Recovery.Options.Reading, err = r.selection.reading(ctx, nil); err != nil {
		return err
	}
	result, err := bundle.Write(ctx, target, dir, name, options)
	bar.finish()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: what a killed run has left; remove it, or choose another name", err)
	case err != nil:
		return err
	}
	return r.tell(newEmitter(global, format), result)
}

// recoveryOfReport is what recovery does without flags, as its JSON.
func recoveryOfReport(filter logdir.Filter, workers int) *bundle.Recovery {
	options := loader.DirOptions{Filter: filter, Workers: workers}
	options.Version, options.Interval, options.MaxIndexSize = kafkaversion.Latest, defaultIndexInterval, defaultMaxIndexSize
	return &bundle.Recovery{
		Options:  options,
		Start:    func(s *loader.Start) any { return startObject(s) },
		Plan:     func(p *loader.Plan) any { return summaryObject(p) },
		Decision: func(d *loader.Decision) any { return decisionObject(d) },
	}
}

type reportJSON struct {
	Type     string `json:"type"`
	File     string `json:"file"`
	Bytes    int64  `json:"bytes"`
	Members  int    `json:"members"`
	Files    int64  `json:"files"`
	Batches  int64  `json:"batches"`
	Records  int64  `json:"records"`
	Errors   int64  `json:"errors"`
	Warnings int64  `json:"warnings"`
	Infos    int64  `json:"infos"`
	LeftOut  int    `json:"leftOut"`
	Exit     int    `json:"exit"`
}

// tell says what became of the bundle.
func (r *reportFlags) tell(e *emitter, result *bundle.Result) error {
	for _, err := range result.Failures {
		e.failed(err)
	}
	found := &result.Findings
	if found.Unchecked > 0 {
		e.code = worseExit(e.code, exitFailed)
	}
	if found.Errors > 0 {
		e.code = worseExit(e.code, exitDamage)
	}
	files := 0
	for i := range result.LeftOut {
		if result.LeftOut[i].File != "" {
			files++
		}
	}
	switch e.format {
	case formatJSON:
		e.object(reportJSON{
			Type: "report", File: r.out, Bytes: result.Bytes, Members: result.Members, Files: found.Files,
			Batches: found.Batches, Records: found.Records, Errors: found.Errors, Warnings: found.Warnings, Infos: found.Infos,
			LeftOut: files, Exit: e.code,
		})
	case formatTable:
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		e.table([]string{"file", "bytes", "members", "batches", "errors", "warnings", "leftOut"}, [][]string{{
			r.out, number(result.Bytes), strconv.Itoa(result.Members), number(found.Batches),
			number(found.Errors), number(found.Warnings), strconv.Itoa(files),
		}})
	default:
		e.line("%s: %s, %s; %s, %s", quoted(r.out), counted(result.Bytes, "byte"), counted(int64(result.Members), "member"),
			counted(found.Errors, "error"), counted(found.Warnings, "warning"))
		if files > 0 && !e.global.quiet {
			e.line("left out: the content of %s; manifest.json says why", counted(int64(files), "file"))
		}
		if !e.global.quiet {
			e.line("it has no keys, values or headers; look through its manifest.json before you pass it on")
		}
	}
	return e.end()
}
