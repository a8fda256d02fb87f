package dump

import "github.com/kafsck/kafsck/recordbatch"

// RecordJSON renders single records as a dump of their log does, with their
// keys and values.
type RecordJSON struct{ dump logDump }

// NewRecordJSON renders with the options' value format and decoders.
func NewRecordJSON(o *Options) *RecordJSON {
	options := *o
	options.PrintData = true
	return &RecordJSON{logDump{Options: &options}}
}

// Append appends the object of a record of b, or of a control record, which
// lies in file, with a newline.
func (r *RecordJSON) Append(dst []byte, file string, b *recordbatch.Batch, record *recordbatch.Record) []byte {
	if r.dump.file != file || r.dump.fileJSON == nil {
		r.dump.file, r.dump.fileJSON = file, appendText(nil, file)
	}
	return r.dump.appendRecordJSON(dst, b, record, nil)
}
