package cmd

import (
	"math"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/dump"
)

// dumpOptions are the flags of dump: Kafka's own first, then ours.
type dumpOptions struct {
	files              string
	printDataLog       bool
	deepIteration      bool
	skipRecordMetadata bool
	maxBytes           int64
	maxMessageSize     int64
	verifyIndexOnly    bool
	indexSanityCheck   bool
	keyDecoder         string
	valueDecoder       string
	topicDecoders
	selection

	fromOffset, toOffset int64
	fromTime, toTime     string
	limit                int64
	producerID           int64
	key                  string
	onlyDamaged          bool
	hex                  bool
	valueFormat          string
}

func (o *dumpOptions) addFlags(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&o.files, "files", "", "dump these: `FILE,...`; PATHs do as well")
	f.BoolVar(&o.printDataLog, "print-data-log", false, "print keys and values too")
	f.BoolVar(&o.deepIteration, "deep-iteration", false, "print the records of each batch")
	f.BoolVar(&o.skipRecordMetadata, "skip-record-metadata", false, "with --print-data-log: only keys and values")
	f.Int64Var(&o.maxBytes, "max-bytes", math.MaxInt32, "read only the first `N` bytes of each log")
	f.Int64Var(&o.maxMessageSize, "max-message-size", 5*1024*1024, "`N`: accepted for compatibility; no size is too large")
	f.BoolVar(&o.verifyIndexOnly, "verify-index-only", false, "check indexes without printing their entries")
	f.BoolVar(&o.indexSanityCheck, "index-sanity-check", false, "make Kafka's own short check of an index instead of printing it")
	f.StringVar(&o.keyDecoder, "key-decoder-class", "", "decoder of keys: string, integer, long, bytearray, or Kafka's `CLASS`")
	f.StringVar(&o.valueDecoder, "value-decoder-class", "", "decoder of values, likewise `CLASS`")

	o.topicDecoders.addFlags(f)
	o.selection.addFlags(f)

	f.Int64Var(&o.fromOffset, "from-offset", 0, "only from `OFFSET` on; the index beside the log is used to get there")
	f.Int64Var(&o.toOffset, "to-offset", math.MaxInt64, "only up to `OFFSET`, itself included")
	f.StringVar(&o.fromTime, "from-time", "", "only from `TIME` on: epoch milliseconds or RFC 3339")
	f.StringVar(&o.toTime, "to-time", "", "only up to `TIME`, itself included")
	f.Int64Var(&o.limit, "limit", -1, "stop each file after `N` batches, or records where these are printed")
	f.Int64Var(&o.producerID, "producer-id", -1, "only batches of producer `ID`")
	f.StringVar(&o.key, "key", "", "only records whose key matches `REGEXP`")
	f.BoolVar(&o.onlyDamaged, "only-damaged", false, "only batches in which damage was found")
	f.BoolVar(&o.hex, "hex", false, "show batch headers byte by byte with their meaning")
	f.StringVar(&o.valueFormat, "value-format", "", "keys and values in a `FORMAT`: utf8, hex, base64 or redacted")
	f.Lookup("to-offset").DefValue = ""
	f.Lookup("max-bytes").DefValue = ""
	f.Lookup("limit").DefValue = ""
	f.Lookup("producer-id").DefValue = ""
}

// build checks the flags and turns them into what package dump takes.
func (o *dumpOptions) build(global *globalOptions, cmd *cobra.Command) (dump.Options, error) {
	d := dump.DefaultOptions()
	format, err := global.textTableJSON()
	if err != nil {
		return d, err
	}
	switch {
	case format == formatJSON:
		d.Format = dump.JSON
	case format == formatTable:
		d.Format = dump.Quiet
	case o.hex:
		d.Format = dump.Hex
	}
	d.Workers = global.workers
	d.Terminal = isTerminal(global.streams.Out)
	d.PrintData = o.printDataLog
	d.Deep = o.deepIteration
	d.SkipRecordMetadata = o.skipRecordMetadata
	d.VerifyIndexOnly, d.IndexSanityCheck = o.verifyIndexOnly, o.indexSanityCheck
	if cmd.Flags().Changed("max-bytes") && o.maxBytes != math.MaxInt32 {
		if o.maxBytes < 0 {
			return d, usageErrorf("--max-bytes must not be negative")
		}
		d.MaxBytes = o.maxBytes
	}
	if err := o.decoders(&d); err != nil {
		return d, err
	}
	if err := o.topicDecoders.apply(&d); err != nil {
		return d, err
	}
	d.FromOffset, d.ToOffset, d.Limit = o.fromOffset, o.toOffset, o.limit
	if d.FromTime, err = parseTimeFlag("from-time", o.fromTime, math.MinInt64); err != nil {
		return d, err
	}
	if d.ToTime, err = parseTimeFlag("to-time", o.toTime, math.MaxInt64); err != nil {
		return d, err
	}
	switch {
	case o.fromOffset > o.toOffset:
		return d, usageErrorf("--from-offset %d is behind --to-offset %d", o.fromOffset, o.toOffset)
	case d.FromTime > d.ToTime:
		return d, usageErrorf("--from-time %s is after --to-time %s", o.fromTime, o.toTime)
	case o.limit < 0 && cmd.Flags().Changed("limit"):
		return d, usageErrorf("--limit %d: 0 or more", o.limit)
	}
	d.ProducerID, d.HasProducerID = o.producerID, cmd.Flags().Changed("producer-id")
	if o.key != "" {
		if d.Key, err = regexp.Compile(o.key); err != nil {
			return d, usageErrorf("--key: %v", err)
		}
	}
	d.OnlyDamaged = o.onlyDamaged
	if d.ValueFormat, err = dump.ParseValueFormat(o.valueFormat); err != nil {
		return d, usageErrorf("--value-format: %v", err)
	}
	return d, nil
}

// decoders sets how keys and values become text.
func (o *dumpOptions) decoders(d *dump.Options) error {
	for _, decoder := range []struct {
		flag, name string
		to         *dump.TextFunc
	}{{"key-decoder-class", o.keyDecoder, &d.KeyText}, {"value-decoder-class", o.valueDecoder, &d.ValueText}} {
		if decoder.name == "" {
			continue
		}
		text, ok := dump.DecoderByName(decoder.name)
		if !ok {
			return usageErrorf("--%s: unknown class %q; there are: %s", decoder.flag, decoder.name, strings.Join(dump.DecoderNames(), ", "))
		}
		*decoder.to = text
		d.PrintData = true // as with Kafka's tool
	}
	return nil
}
