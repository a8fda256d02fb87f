package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

const logName = "00000000000000000000.log"

// dumped is what a dump of a log writes to its two streams, and what it counts.
func dumped(t testing.TB, data []byte, set func(*Options)) (out, errOut string, s Summary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), logName)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	set(&o)
	var one, two bytes.Buffer
	sink := NewSink(&one, &two, o.Format)
	if _, err := Path(t.Context(), sink, path, &o); err != nil {
		t.Fatal(err)
	}
	if err := sink.Flush(); err != nil {
		t.Fatal(err)
	}
	// The path differs from run to run.
	return strings.ReplaceAll(one.String(), path, logName), strings.ReplaceAll(two.String(), path, logName), sink.Summary
}

// mixed is a log with batches of all codecs, legacy messages and markers, large
// enough for several workers, with damage in places.
func mixed(t testing.TB) []byte {
	var data []byte
	for _, name := range []string{"many-0", "codec-none-0", "codec-zstd-0", "codec-gzip-0", "codec-lz4-0", "codec-snappy-0", "txn-0", "odd-0"} {
		data = append(data, fixture.ReadFile(t, "kafka-4.4.0/closed/"+name+"/"+logName)...)
	}
	data = append(data, fixture.ReadFile(t, "seed/log-demo-0/"+logName)...)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
	}
	return append(data, make([]byte, 5000)...)
}

// modes are the ways to write a log.
var modes = map[string]func(*Options){
	"text":         func(*Options) {},
	"deep":         func(o *Options) { o.Deep = true },
	"data":         func(o *Options) { o.PrintData = true },
	"hex":          func(o *Options) { o.Format = Hex },
	"json":         func(o *Options) { o.Format = JSON },
	"json data":    func(o *Options) { o.Format, o.PrintData = JSON, true },
	"key":          func(o *Options) { o.Format, o.Key = JSON, regexp.MustCompile("1") },
	"damaged":      func(o *Options) { o.OnlyDamaged = true },
	"damaged data": func(o *Options) { o.Format, o.PrintData, o.OnlyDamaged = JSON, true, true },
	"quiet":        func(o *Options) { o.Format, o.Deep = Quiet, true },
}

// Nothing depends on how many work on it.
func TestWorkersDoNotShow(t *testing.T) {
	data := mixed(t)
	if len(data) < 256<<10 {
		t.Fatalf("%d bytes are worked on by one", len(data))
	}
	for name, set := range modes {
		t.Run(name, func(t *testing.T) {
			out, errOut, summary := dumped(t, data, set)
			if summary.Findings == 0 || summary.Batches == 0 {
				t.Errorf("%+v", summary)
			}
			for _, workers := range []int{2, 5} {
				out2, errOut2, summary2 := dumped(t, data, func(o *Options) { set(o); o.Workers = workers })
				if out2 != out || errOut2 != errOut || summary2 != summary {
					t.Errorf("%d workers write %d and %d bytes, one %d and %d; %+v, %+v",
						workers, len(out2), len(errOut2), len(out), len(errOut), summary2, summary)
				}
			}
		})
	}
}

// jsonRecord is what the test reads of an object.
type jsonRecord struct {
	Type                  string
	Offset, BatchPosition int64
	Timestamp             int64
	KeySize, ValueSize    int
	Key, Value            *string
	KeyEncoding           string
	ValueEncoding         string
	Position, Size        int64
	CRC                   uint32
	Valid                 bool
}

// The objects are the batches and records that the decoder gives, in order.
func TestJSONTellsWhatIsThere(t *testing.T) {
	data := mixed(t)
	out, _, summary := dumped(t, data, func(o *Options) { o.Format, o.PrintData, o.Workers, o.ValueFormat = JSON, true, 3, ValueHex })
	var want, got []string
	var decoder recordbatch.Decoder
	findings := int64(0)
	for b, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Batches() {
		if err != nil {
			findings++
		}
		if b == nil {
			continue
		}
		want = append(want, fmt.Sprintf("batch at %d, %d bytes, %d %t", b.Position, b.Size, b.CRC, b.Valid()))
		decoder.Reset(b)
		for decoder.Next() {
			r := decoder.Record()
			if b.IsControl() {
				want = append(want, fmt.Sprintf("control %d", r.Offset))
				continue
			}
			want = append(want, fmt.Sprintf("record %d at %d: %d %d %x %d %x", r.Offset, b.Position, r.Timestamp, r.KeySize(), r.Key, r.ValueSize(), r.Value))
		}
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for line := range strings.Lines(out) {
		var r jsonRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch r.Type {
		case "batch":
			got = append(got, fmt.Sprintf("batch at %d, %d bytes, %d %t", r.Position, r.Size, r.CRC, r.Valid))
		case "control":
			got = append(got, fmt.Sprintf("control %d", r.Offset))
		case "record":
			got = append(got, fmt.Sprintf("record %d at %d: %d %d %s %d %s", r.Offset, r.BatchPosition, r.Timestamp, r.KeySize, text(r.Key), r.ValueSize, text(r.Value)))
			if (r.KeySize < 0) != (r.Key == nil) || (r.ValueSize < 0) != (r.Value == nil) {
				t.Fatalf("null and its size: %s", line)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d objects, want %d", len(got), len(want))
	}
	if summary.Findings < findings {
		t.Errorf("%d findings, the scan had %d", summary.Findings, findings)
	}
}

// What is asked for is what the whole dump has of it.
func TestFiltersChoose(t *testing.T) {
	data := fixture.ReadFile(t, "kafka-4.4.0/closed/many-0/"+logName)
	all, _, _ := dumped(t, data, func(o *Options) { o.Format, o.Deep = JSON, true })
	lines := slices.Collect(strings.Lines(all))
	records := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.Contains(l, `"type":"record"`) })
	offset := func(line string) int64 {
		var r jsonRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		return r.Offset
	}
	first, last := offset(records[len(records)/3]), offset(records[len(records)/2])
	for _, workers := range []int{1, 3} {
		some, _, _ := dumped(t, data, func(o *Options) {
			o.Format, o.Deep, o.Workers, o.FromOffset, o.ToOffset = JSON, true, workers, first, last
		})
		var got []string
		for line := range strings.Lines(some) {
			if strings.Contains(line, `"type":"record"`) {
				got = append(got, line)
			}
		}
		if want := records[len(records)/3 : len(records)/2+1]; !slices.Equal(got, want) {
			t.Errorf("%d workers: %d records from %d to %d, want %d", workers, len(got), first, last, len(want))
		}
	}
	few, _, _ := dumped(t, data, func(o *Options) { o.Format, o.Deep, o.Limit, o.Workers = JSON, true, 7, 4 })
	if n := strings.Count(few, `"type":"record"`); n != 7 || !strings.HasPrefix(all, few) {
		t.Errorf("%d records with a limit of 7", n)
	}
	batches, _, _ := dumped(t, data, func(o *Options) {})
	head, _, _ := dumped(t, data, func(o *Options) { o.Limit = 5 })
	if strings.Count(head, "baseOffset: ") != 5 || !strings.HasPrefix(batches, head) {
		t.Errorf("with a limit of 5:\n%s", head)
	}
}

// Of a log with one bad batch, that batch alone is shown.
func TestOnlyDamaged(t *testing.T) {
	data := fixture.ReadFile(t, "kafka-4.4.0/closed/codec-lz4-0/"+logName)
	set := func(o *Options) { o.Format, o.OnlyDamaged = JSON, true }
	if out, _, _ := dumped(t, data, set); out != "" {
		t.Errorf("of a sound log:\n%s", out)
	}
	var position, n int64
	for b := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Batches() {
		if n++; n == 3 {
			position = b.Position
		}
	}
	data[position+recordbatch.HeaderSize+4] ^= 1
	out, _, _ := dumped(t, data, set)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 2 ||
		!strings.Contains(lines[0], fmt.Sprintf(`"position":%d,`, position)) || !strings.Contains(lines[1], "batch-crc-mismatch") {
		t.Errorf("%s", out)
	}
}

// A batch that unfolds to far more than is in the file is written piece by
// piece.
func TestTextComesInPieces(t *testing.T) {
	var records []batchtest.Record
	for range 20_000 {
		records = append(records, batchtest.Record{Value: bytes.Repeat([]byte("kafka"), 200)})
	}
	data := batchtest.NewSegment(0, batchtest.NewBatch(0, 1_600_000_000_000, records...).WithCodec(batchtest.Gzip, batchtest.Compression{})).Data
	if len(data) > pieceSize/2 {
		t.Fatalf("the batch has %d bytes", len(data))
	}
	o := DefaultOptions()
	o.PrintData = true
	d := logDump{Options: &o, keyText: StringText, valueText: StringText, headerText: StringText}
	for chunk, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Chunks() {
		if err != nil {
			t.Fatal(err)
		}
		pieces, size := 0, 0
		var w renderer
		emit := func(r *rendered) bool {
			defer r.release()
			if len(r.text) > pieceSize+2000 {
				t.Errorf("a piece of %d bytes", len(r.text))
			}
			size += len(r.text)
			pieces++
			return true
		}
		w.render(&d, work{&share{chunk: chunk}, 0, len(chunk.Items)}, emit)
		if size < 20_000_000 || pieces < 20 {
			t.Errorf("%d bytes in %d pieces", size, pieces)
		}
		// Nobody wants more: rendering ends with the piece.
		pieces = 0
		w.render(&d, work{&share{chunk: chunk}, 0, len(chunk.Items)}, func(r *rendered) bool { emit(r); return false })
		if pieces > 2 {
			t.Errorf("%d pieces that nobody wants", pieces)
		}
		chunk.Release()
	}
}

// failing is a pipe that somebody closes.
type failing struct{ left int }

var errClosed = errors.New("closed")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errClosed
	}
	return len(p), nil
}

func TestDumpEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), logName)
	data := mixed(t)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		o := DefaultOptions()
		o.PrintData, o.Workers = true, workers
		if _, err := Path(t.Context(), NewSink(&failing{left: 300_000}, &bytes.Buffer{}, Text), path, &o); !errors.Is(err, errClosed) {
			t.Errorf("%d workers into a closed pipe: %v", workers, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Path(ctx, NewSink(&failing{left: 1 << 30}, &bytes.Buffer{}, Text), path, &o); !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers after the end of the context: %v", workers, err)
		}
	}
}

// Rendering allocates nothing for a batch or a record once its buffers are warm.
func TestRenderingAllocatesNothing(t *testing.T) {
	for name, set := range modes {
		if strings.Contains(name, "hex") {
			continue // a debugging aid
		}
		for _, codec := range []string{"none", "zstd", "lz4", "snappy", "gzip"} {
			data := fixture.ReadFile(t, "kafka-4.4.0/closed/codec-"+codec+"-0/"+logName)
			o := DefaultOptions()
			set(&o)
			d := logDump{Options: &o, keyText: StringText, valueText: StringText, headerText: StringText}
			var w renderer
			for chunk, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Chunks() {
				if err != nil {
					t.Fatal(err)
				}
				in := work{&share{chunk: chunk}, 0, len(chunk.Items)}
				emit := func(r *rendered) bool { r.release(); return true }
				got := testing.AllocsPerRun(5, func() { w.render(&d, in, emit) })
				// A few of the pools may be emptied meanwhile.
				if got > float64(len(chunk.Items))/4 {
					t.Errorf("%s, %s: %.0f allocations for %d batches", name, codec, got, len(chunk.Items))
				}
				chunk.Release()
			}
		}
	}
}
