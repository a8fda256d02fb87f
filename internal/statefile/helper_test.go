package statefile

import (
	"fmt"
	"io"
)

// wrap forgets the type of what a reader returns.
func wrap[T any](read func(io.ReaderAt, int64) (T, error)) func(io.ReaderAt, int64) (any, error) {
	return func(r io.ReaderAt, size int64) (any, error) { return read(r, size) }
}

func sprint(v any) string { return fmt.Sprintf("%v", v) }
