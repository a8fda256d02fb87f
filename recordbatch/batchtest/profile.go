package batchtest

import "math/rand/v2"

// Profile says what [Generate] may put into a segment. All of it is legal: a
// broker could have written it and a checker has nothing to complain about,
// unless a field says otherwise.
type Profile struct {
	Batches    int // about how many
	MaxRecords int // in a usual batch
	MaxValue   int // bytes of a usual value
	Huge       int // bytes of a rare huge value, and records of a rare huge batch times 100; 0 is none

	BaseOffset  int64 // of the segment; -1 lets the seed choose, beyond 2^53 too
	LeaderEpoch int32 // of the first batch; -1 is unknown throughout

	Magics []int8
	Codecs []Codec // zstd is used in v2 only

	Idempotent    bool // producers with sequences, from before the segment or new
	Transactions  bool // interleaved transactions, committed, aborted and open
	Compacted     bool // gaps, emptied batches, delete horizons, rewritten markers
	LogAppendTime bool // some batches are stamped by the broker
	Odd           bool // headers, texts, frames and times that few clients write

	// UnknownAttributes sets attribute bits that Kafka does not know.
	// Readers ignore them; a checker may warn.
	UnknownAttributes bool
}

// Wild is a bit of everything.
func Wild() Profile {
	return Profile{
		Batches: 60, MaxRecords: 20, MaxValue: 200, Huge: 100_000,
		BaseOffset: -1, Magics: []int8{2, 2, 2, 1, 0}, Codecs: Codecs,
		Idempotent: true, Transactions: true, Compacted: true, LogAppendTime: true, Odd: true,
	}
}

// Plain is what a usual producer writes to a topic that is not compacted.
func Plain() Profile {
	return Profile{Batches: 40, MaxRecords: 10, MaxValue: 100, Magics: []int8{2}, Codecs: []Codec{None}}
}

// Compressed is [Plain] with every codec.
func Compressed() Profile {
	p := Plain()
	p.Codecs, p.Odd = Codecs, true
	return p
}

// Transactional is dense with transactions.
func Transactional() Profile {
	p := Plain()
	p.Transactions, p.Idempotent = true, true
	return p
}

// Compacted is a topic that the cleaner went over.
func Compacted() Profile {
	p := Transactional()
	p.Compacted, p.Codecs = true, Codecs
	return p
}

// Legacy is v0 and v1 messages and wrappers.
func Legacy() Profile {
	p := Plain()
	p.Magics, p.Codecs, p.LogAppendTime = []int8{0, 1}, []Codec{None, Gzip, Snappy, Lz4}, true
	return p
}

// chance is true once in n times.
func chance(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
