package recovery

import "github.com/kafsck/kafsck/recordbatch"

// largest is the timestamp of a batch with the offset that the time index
// gets. A recovery takes the last offset of the batch. A leader that appended
// it took, up to 3.6, the first record that has the timestamp, if the batch is
// plain and its times are those of the producer; and the offset of the message
// itself if it is a plain v1 one.
func (s *segment) largest(b *recordbatch.Batch) (Timestamp, error) {
	whole := Timestamp{b.MaxTimestamp, b.LastOffset()}
	if s.options.Rule != Append || !s.options.Version.Before(3, 7) ||
		b.IsLegacy() || b.IsControl() || b.Codec() != recordbatch.CodecNone || b.TimestampType() != recordbatch.CreateTime {
		return whole, nil
	}
	if err := s.walker.needData(); err != nil {
		return whole, err
	}
	s.decoder.Reset(b)
	for s.decoder.Next() {
		if r := s.decoder.Record(); r.Timestamp == b.MaxTimestamp {
			return Timestamp{r.Timestamp, r.Offset}, nil
		}
	}
	return whole, nil
}
