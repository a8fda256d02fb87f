package recordbatch

import (
	"hash/crc32"

	"github.com/kafsck/kafsck/internal/blocks"
)

const (
	// directCredit and directPerByte bound how many bytes a scan computes
	// checksums of by reading them through for nothing: so many at first, and so
	// many more for each byte of the file before. What goes beyond is computed
	// from sums, in a time that doesn't depend on how many bytes there are. No
	// log that wasn't made for it gets so far.
	directCredit  = 16 << 20
	directPerByte = 4

	smallestStep = 1 << 10
	mostSums     = 1 << 18

	pageSize = 4 << 10
	// pageCount is a little more than the largest batch has that a scan reads into
	// memory before it is proved: what is at both ends of such a claim fits.
	pageCount = maxLoaded/pageSize + 64
)

// ranges computes the checksum of any range of a file from the checksums of
// what is before its ends. However many ranges are asked for, and however large
// they are, each byte of the file is read through once.
//
// What it has read may change while a broker writes, see judge.forget.
type ranges struct {
	sums  [2]sums
	pages []page
}

// page is a small part of the file that is in memory.
type page struct {
	number int64 // from 1
	bytes  []byte
}

// sums are the checksums of what lies from start to start+step·i, for each i.
type sums struct {
	start, step int64
	sums        []uint32
}

func (s *sums) end() int64 { return s.start + s.step*int64(len(s.sums)-1) }

// affords says whether n bytes from position on may be read through for their
// checksum.
func (j *judge) affords(position, n int64) bool {
	return j.direct+n <= directCredit+directPerByte*position
}

// checksum is the checksum of the bytes from from up to to.
func (j *judge) checksum(p *polynomial, from, to int64) (uint32, error) {
	if to <= from {
		return 0, nil
	}
	if j.affords(from, to-from) {
		j.direct += to - from
		return j.through(p, from, to)
	}
	s := &j.ranges.sums[0]
	if p == crc32IEEE {
		s = &j.ranges.sums[1]
	}
	if len(s.sums) == 0 || j.position > s.end() {
		// Whatever is asked for from now on lies behind this.
		s.start, s.sums = j.position, append(s.sums[:0], 0)
		for s.step = smallestStep; s.step < judgeBuffer && (j.end-s.start)/s.step > mostSums; {
			s.step *= 2
		}
	}
	if from < s.start {
		return j.through(p, from, to)
	}
	if err := j.cover(p, s, to); err != nil {
		return 0, err
	}
	before, err := j.upTo(p, s, from)
	if err != nil {
		return 0, err
	}
	both, err := j.upTo(p, s, to)
	return both ^ p.shift(before, to-from), err
}

// through computes a checksum by reading all that it covers.
func (j *judge) through(p *polynomial, from, to int64) (crc uint32, err error) {
	j.allocate()
	for from < to {
		part := j.buffer[:min(to-from, int64(len(j.buffer)))]
		if err := blocks.ReadFull(j.r, part, from); err != nil {
			return 0, err
		}
		crc = crc32.Update(crc, p.table, part)
		from += int64(len(part))
	}
	return crc, nil
}

// cover extends the sums so far that less than a step is between them and to.
func (j *judge) cover(p *polynomial, s *sums, to int64) error {
	j.allocate()
	for at := s.end(); at+s.step <= to; at = s.end() {
		whole := (j.end - at) / s.step * s.step
		part := j.buffer[:min(whole, int64(len(j.buffer))/s.step*s.step)]
		if err := blocks.ReadFull(j.r, part, at); err != nil {
			return err
		}
		crc := s.sums[len(s.sums)-1]
		hole := zeros(part) == len(part)
		for ; len(part) > 0; part = part[s.step:] {
			crc = crc32.Update(crc, p.table, part[:s.step])
			s.sums = append(s.sums, crc)
		}
		if !hole {
			continue
		}
		behind, err := j.behindHole(s.end())
		if err != nil {
			return err
		}
		for s.end()+s.step <= behind {
			crc = p.zeros(crc, s.step)
			s.sums = append(s.sums, crc)
		}
	}
	return nil
}

// upTo is the checksum of what lies between the start of the sums and position.
func (j *judge) upTo(p *polynomial, s *sums, position int64) (uint32, error) {
	i := (position - s.start) / s.step
	crc := s.sums[i]
	for at := s.start + i*s.step; at < position; {
		data, err := j.page(at)
		if err != nil {
			return 0, err
		}
		data = data[:min(int64(len(data)), position-at)]
		crc = crc32.Update(crc, p.table, data)
		at += int64(len(data))
	}
	return crc, nil
}

// page is a part of the file that begins at position.
func (j *judge) page(position int64) ([]byte, error) {
	if j.ranges.pages == nil {
		j.ranges.pages = make([]page, pageCount)
	}
	number, in := position/pageSize+1, position%pageSize
	p := &j.ranges.pages[number%pageCount]
	if p.number != number {
		if p.bytes == nil {
			p.bytes = make([]byte, pageSize)
		}
		p.number = 0
		first := position - in
		p.bytes = p.bytes[:min(pageSize, j.end-first)]
		if err := blocks.ReadFull(j.r, p.bytes, first); err != nil {
			return nil, err
		}
		p.number = number
	}
	return p.bytes[in:], nil
}

// tired says whether so much was read through for nothing that b isn't to be read
// before its checksum is known.
func (j *judge) tired(b *Batch) bool {
	return b.Size >= pageSize && !j.affords(b.Position, b.Size)
}
