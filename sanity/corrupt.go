package sanity

import (
	"errors"

	"github.com/kafsck/kafsck/recordbatch"
)

// corruptCodes maps the causes that recordbatch knows to codes. The order
// matters where one error wraps two causes.
var corruptCodes = []struct {
	cause error
	code  Code
}{
	{recordbatch.ErrTornTail, LogTornTail},
	{recordbatch.ErrZeroTail, LogZeroTail},
	{recordbatch.ErrZeroHole, LogZeroHole},
	{recordbatch.ErrGarbage, LogGarbage},
	{recordbatch.ErrBadSize, BatchBadSize},
	{recordbatch.ErrBadMagic, BatchBadMagic},
	{recordbatch.ErrChecksum, BatchCRCMismatch},
	{recordbatch.ErrBadCodec, BatchBadCodec},
	{recordbatch.ErrDecompressLimit, BatchDecompressLimit},
	{recordbatch.ErrDecompress, BatchDecompressFailed},
	{recordbatch.ErrCount, BatchCountMismatch},
	{recordbatch.ErrTrailingBytes, BatchTrailingBytes},
	{recordbatch.ErrControl, ControlMalformed},
	{recordbatch.ErrRecord, RecordMalformed},
}

// FromCorrupt turns damage that a scan or a decoder met into a finding.
func FromCorrupt(e *recordbatch.CorruptError) Finding {
	code := RecordMalformed
	for _, c := range corruptCodes {
		if errors.Is(e.Err, c.cause) {
			code = c.code
			break
		}
	}
	f := At(code, e.File)
	f.Position, f.EndPosition = e.Position, e.EndPosition
	f.Offset, f.LastOffset = e.Offset, e.LastOffset
	f.Message = e.Detail
	if f.Message == "" {
		f.Message = e.Err.Error()
	}
	if e.Record >= 0 {
		f.Detail = map[string]any{"record": e.Record}
	}
	return f
}

// FromRecords turns what ended the decoding of a batch's records into a finding
// at the batch.
func FromRecords(file string, b *recordbatch.Batch, err error) Finding {
	var corrupt *recordbatch.CorruptError
	if !errors.As(err, &corrupt) {
		corrupt = &recordbatch.CorruptError{
			Position: b.Position, EndPosition: b.EndPosition(),
			Offset: b.BaseOffset(), LastOffset: b.LastOffset(), Record: -1, Err: err,
		}
	}
	corrupt.File = file
	return FromCorrupt(corrupt)
}
