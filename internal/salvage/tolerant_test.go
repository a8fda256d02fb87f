package salvage

import (
	"context"
	"errors"
	"testing"

	"github.com/kafsck/kafsck/internal/ratelimit"
)

// endlessZeros stands for a preallocated file.
type endlessZeros struct{}

func (endlessZeros) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}

// An interrupt is no bad sector: nothing after it is read or noted.
func TestTolerantEndsWithTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	disk := &tolerant{r: ratelimit.Until(ctx, endlessZeros{})}
	p := make([]byte, 3*sector)
	if n, err := disk.ReadAt(p, 0); n != len(p) || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	cancel()
	if n, err := disk.ReadAt(p, 0); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %d, %v", n, err)
	}
	if disk.first != nil || disk.unreadable(0, 10*sector) != 0 {
		t.Errorf("an interrupt is noted as %v, %v", disk.first, disk.bad)
	}
}
