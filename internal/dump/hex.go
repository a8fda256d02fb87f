package dump

import (
	"encoding/hex"
	"fmt"

	"github.com/kafsck/kafsck/recordbatch"
)

// appendHex appends the header of b byte by byte with its meaning, one field a
// line: position, bytes, name, value.
func appendHex(dst []byte, b *recordbatch.Batch) []byte {
	dst = fmt.Appendf(dst, "batch at %d, %d bytes, magic %d\n", b.Position, b.Size, b.Magic)
	for _, f := range recordbatch.HeaderFields(b) {
		if f.Start+f.Size > len(b.Data) {
			break
		}
		dst = fmt.Appendf(dst, "  %10d  ", b.Position+int64(f.Start))
		raw := hex.AppendEncode(nil, b.Data[f.Start:f.Start+f.Size])
		dst = fmt.Appendf(dst, "%-16s  # %s: %s\n", raw, f.Name, f.Value)
	}
	return dst
}
