package dump

import (
	"io"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/recordbatch"
)

// seek is the position from which to scan for FromOffset: that of the index
// entry for it, where there is an index beside the log and the entry leads to
// a sound batch with no larger offset; else the start.
func (d *logDump) seek(r io.ReaderAt, size int64) int64 {
	f, indexSize, err := logdir.OpenFile(logdir.SiblingPath(d.file, logdir.KindOffsetIndex))
	if err != nil {
		return 0
	}
	defer f.Close()
	index := indexfile.NewOffsetReader(f, indexSize, d.base)
	layout, err := index.Layout()
	if err != nil {
		return 0
	}
	found, err := index.Lookup(d.FromOffset, layout.Entries, nil)
	if err != nil || found.Slot < 0 {
		return 0
	}
	position := int64(found.Entry.Position)
	if position <= 0 || position >= size {
		return 0
	}
	for b, err := range recordbatch.NewScanner(r, size, recordbatch.Options{From: position}).Batches() {
		if err != nil || b == nil || b.BaseOffset() > d.FromOffset {
			return 0
		}
		return position
	}
	return 0
}
