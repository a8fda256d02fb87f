package sanity

import (
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// However often zeros cut into a batch, each finding tells of one, and the last
// counts the others.
func TestManyZeroHolesInBatchesAreTold(t *testing.T) {
	log := batchtest.ClaimLogs["between zeros"](60_000, 500)
	findings, _ := newMemory(t, "zeros-0", map[string][]byte{logFile: log}).check(Options{}, nil)
	holes, folded := 0, int64(0)
	for _, f := range findings {
		if f.Code != LogZeroHole {
			continue
		}
		holes++
		folded += f.count()
		if len(f.Message) > 100 {
			t.Fatalf("a message of %d bytes: %.300s", len(f.Message), f.Message)
		}
	}
	if holes != MostOfCode || folded < 300 {
		t.Errorf("%d findings of %d holes", holes, folded)
	}
}
