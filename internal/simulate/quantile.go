package simulate

import (
	"math"
	"math/bits"
)

// quantiles counts values in buckets: one for each value below 2^17, and 65536
// for each further power of two. A bucket stands for its largest value.
type quantiles struct {
	small  []int64
	octave [64][]int64 // by the number of bits
}

const quantileBits = 16

func (q *quantiles) add(v, n int64) {
	if v < 1<<(quantileBits+1) {
		if q.small == nil {
			q.small = make([]int64, 1<<(quantileBits+1))
		}
		q.small[max(v, 0)] += n
		return
	}
	length := bits.Len64(uint64(v))
	if q.octave[length] == nil {
		q.octave[length] = make([]int64, 1<<quantileBits)
	}
	q.octave[length][v>>(length-1-quantileBits)&(1<<quantileBits-1)] += n
}

// at is the smallest value that a share p of all total values does not exceed.
func (q *quantiles) at(p float64, total int64) int64 {
	rank := max(int64(math.Ceil(p*float64(total))), 1)
	for v, n := range q.small {
		if rank -= n; rank <= 0 {
			return int64(v)
		}
	}
	for length, buckets := range q.octave {
		for i, n := range buckets {
			if rank -= n; rank <= 0 {
				shift := length - 1 - quantileBits
				return (1<<quantileBits|int64(i))<<shift | (1<<shift - 1)
			}
		}
	}
	return 0
}
