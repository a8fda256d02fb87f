package batchtest

// Header is one header of a v2 record. A nil Value is null, an empty one is
// empty; the key cannot be null.
type Header struct {
	Key   string
	Value []byte
}

// Record is one record of a v2 batch, as stored: deltas, not absolute values.
// A nil Key or Value is null, an empty one is empty.
type Record struct {
	Attributes     int8 // unused by Kafka
	TimestampDelta int64
	OffsetDelta    int32
	Key, Value     []byte
	Headers        []Header

	// Raw, if not nil, is written in place of the whole record, its length
	// included.
	Raw []byte
}

// KV returns a record with this key and value.
func KV(key, value string) Record { return Record{Key: []byte(key), Value: []byte(value)} }

// Append appends the record: varint length of what follows, i8 attributes,
// varlong timestamp delta, varint offset delta, key, value, header count,
// headers.
func (r Record) Append(dst []byte) []byte {
	if r.Raw != nil {
		return append(dst, r.Raw...)
	}
	body := append(make([]byte, 0, 32+len(r.Key)+len(r.Value)), byte(r.Attributes))
	body = AppendVarint(body, r.TimestampDelta)
	body = AppendVarint(body, int64(r.OffsetDelta))
	body = appendVarBytes(body, r.Key)
	body = appendVarBytes(body, r.Value)
	body = AppendVarint(body, int64(len(r.Headers)))
	for _, h := range r.Headers {
		body = AppendVarint(body, int64(len(h.Key)))
		body = append(body, h.Key...)
		body = appendVarBytes(body, h.Value)
	}
	return append(AppendVarint(dst, int64(len(body))), body...)
}

// OneRecord is the bytes of a small batch: a record at an offset.
func OneRecord(offset int64) []byte { return NewBatch(offset, 1000, KV("k", "v")).Encode() }
