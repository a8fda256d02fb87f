package batchtest

import "fmt"

// batch makes a v2 batch of n records at the next offset.
func (g *generator) batch(n int) Batch {
	records := make([]Record, n)
	for i := range records {
		records[i] = g.record(n)
	}
	base := g.now
	if g.p.Odd && chance(g.r, 30) {
		base = -1 // a client that knows no time
		for i := range records {
			records[i].TimestampDelta = 0
		}
	}
	b := NewBatch(g.next, base, records...).WithEpoch(g.epoch)
	if g.p.LogAppendTime && chance(g.r, 4) {
		b = b.WithAttributes(AttrLogAppendTime)
		b.MaxTimestamp = g.now + g.r.Int64N(100_000)
	}
	if g.p.UnknownAttributes && chance(g.r, 3) {
		b = b.WithAttributes(pick(g.r, []int16{1 << 7, 1 << 8, 1 << 14, -1 << 15}))
	}
	if g.p.Odd && chance(g.r, 20) {
		padVarint(&b.Records[0])
	}
	return b.WithCodec(pick(g.r, g.p.Codecs), g.compression())
}

func (g *generator) record(of int) Record {
	r := Record{Key: g.bytes(20), Value: g.bytes(g.p.MaxValue), TimestampDelta: g.r.Int64N(50)}
	switch {
	case of > 1000:
		r.Value = g.bytes(10) // many tiny ones
	case g.p.Huge > 0 && chance(g.r, 300):
		r.Value = text(g.r, g.p.Huge)
	}
	if g.p.Odd && chance(g.r, 10) {
		r.TimestampDelta = -g.r.Int64N(1_000_000_000)
	}
	if g.p.Odd && chance(g.r, 20) {
		r.Attributes = int8(g.r.IntN(256) - 128)
	}
	for chance(g.r, 3) && len(r.Headers) < 10 {
		r.Headers = append(r.Headers, Header{g.headerKey(), g.bytes(15)})
	}
	return r
}

// bytes are null, empty, text, or any bytes, up to n of them.
func (g *generator) bytes(n int) []byte {
	switch g.r.IntN(12) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2:
		b := make([]byte, g.r.IntN(n)+1)
		for i := range b {
			b[i] = byte(g.r.Uint32())
		}
		return b
	default:
		return text(g.r, g.r.IntN(n)+1)
	}
}

func (g *generator) headerKey() string {
	if g.p.Odd && chance(g.r, 3) {
		return pick(g.r, []string{"", "a,b", "c:d", "same", "same", "line\nbreak", "\x1b[31mred", "ключ", "🗝", "payload: x"})
	}
	return fmt.Sprint("header", g.r.IntN(4))
}

// compression is how some client writes.
func (g *generator) compression() Compression {
	if !g.p.Odd || chance(g.r, 2) {
		return Compression{}
	}
	return pick(g.r, []Compression{
		{Stored: true},
		{SnappyRaw: true, Lz4ContentSize: true, ZstdContentSize: true}, // librdkafka
		{SnappyRaw: true, Lz4BlockID: 7, Lz4ContentChecksum: true, ZstdChecksum: true},
		{SnappyBlock: 1 << 10, Lz4BlockChecksum: true, Parts: 2},
		{SnappyLittleEndian: true, Parts: 3},
	})
}

// padVarint writes the length of a record with a needless last group, which
// every reader accepts.
func padVarint(r *Record) {
	plain := r.Append(nil)
	n := 0
	for plain[n] >= 0x80 {
		n++
	}
	r.Raw = append(append([]byte(nil), plain[:n]...), plain[n]|0x80, 0)
	r.Raw = append(r.Raw, plain[n+1:]...)
}

// compact is what the cleaner makes of a batch: all of it kept, some records
// gone, or nothing left but the header of a producer's last batch.
func (g *generator) compact(b Batch) Batch {
	switch {
	case b.ProducerID >= 0 && chance(g.r, 12):
		return g.emptied(b)
	case chance(g.r, 3):
		return g.thinned(b)
	}
	return b
}

// emptied keeps timestamp type, transactional bit, offsets, sequences.
func (g *generator) emptied(b Batch) Batch {
	e := EmptyBatch(b.BaseOffset, b.LastOffsetDelta, b.MaxTimestamp).
		WithEpoch(b.LeaderEpoch).WithProducer(b.ProducerID, b.ProducerEpoch, b.BaseSequence)
	return e.WithAttributes(b.Attributes & (AttrLogAppendTime | AttrTransactional))
}

// thinned takes some records away. With CreateTime the largest timestamp is
// that of the records which stay.
func (g *generator) thinned(b Batch) Batch {
	var kept []Record
	for i, r := range b.Records {
		if g.r.IntN(3) > 0 || i == len(b.Records)-1 && len(kept) == 0 {
			kept = append(kept, r)
		}
	}
	b.Records = kept
	if b.Attributes&AttrLogAppendTime == 0 {
		b.MaxTimestamp = -1
		for _, r := range kept {
			b.MaxTimestamp = max(b.MaxTimestamp, b.BaseTimestamp+r.TimestampDelta)
		}
		if chance(g.r, 3) && b.BaseTimestamp >= 0 && b.Records[0].Raw == nil {
			b = b.WithDeleteHorizon(g.now + 86_400_000)
		}
	}
	return b
}

// legacy adds a v0 or v1 message or wrapper.
func (g *generator) legacy(magic int8) {
	codec := pick(g.r, g.p.Codecs)
	stamp := magic == 1 && g.p.LogAppendTime && chance(g.r, 4)
	if codec == None || codec == Zstd {
		m := g.message(magic)
		if stamp {
			m.Attributes |= AttrLogAppendTime
		}
		g.seg.Add(m)
		return
	}
	var inner []Message
	for range 1 + g.r.IntN(g.p.MaxRecords) {
		if g.p.Compacted && len(inner) > 0 && chance(g.r, 4) {
			g.next += int64(g.r.IntN(5))
		}
		inner = append(inner, g.message(magic))
	}
	w := NewWrapper(magic, codec, g.compression(), inner...)
	if stamp {
		w = w.LogAppendTime(g.now + g.r.Int64N(1000))
	}
	g.seg.Add(w)
}

func (g *generator) message(magic int8) Message {
	m := Message{Offset: g.next, Magic: magic, Key: g.bytes(20), Value: g.bytes(g.p.MaxValue)}
	if magic == 1 {
		m.Timestamp = g.now + g.r.Int64N(50)
	}
	g.next++
	return m
}
