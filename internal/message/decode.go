package message

// Read reads a message of this version from the start of b and returns how many
// bytes it took. What it returns aliases b. Versions that the schema doesn't
// know are read by the rules of the nearest one it knows, as Kafka's readers do;
// whether that makes sense is for the caller to say.
//
// On an error, which is an *Error, the message holds what was read before.
func (s *Schema) Read(b []byte, version int16) (Message, int, error) {
	d := decoder{reader: reader{buf: b}, version: version, flexible: s.Flexible.Has(version), last: int16(s.Valid.End - 1)}
	m := Message{Schema: s, Version: version}
	m.Value = d.object(s.Fields)
	if d.err != nil {
		return m, d.pos, d.err
	}
	return m, d.pos, nil
}

// decoder interprets a schema. The depth of its recursion is that of the
// schema: no message can nest further.
type decoder struct {
	reader
	version  int16
	flexible bool
	last     int16 // version of the message that the schema knows
	values   int   // read so far

	// Room for objects and their fields, made in pieces.
	items  []Value
	nested []Nested
}

// room returns an empty object.
func (d *decoder) room(fields []Field) *Nested {
	if len(d.nested) == 0 {
		d.nested = make([]Nested, min(4+d.values/2, 512))
	}
	if len(d.items) < len(fields) {
		d.items = make([]Value, max(len(fields), min(d.values, 1024)))
	}
	n := &d.nested[0]
	n.Fields, n.Items = fields, d.items[:len(fields):len(fields)]
	d.nested, d.items = d.nested[1:], d.items[len(fields):]
	return n
}

func (d *decoder) object(fields []Field) Value {
	v := Value{Kind: Object, Nested: d.room(fields)}
	for i := range fields {
		f := &fields[i]
		if d.err == nil && f.In.Has(d.version) && !f.Tagged.Has(d.version) {
			v.Items[i] = d.field(f, false)
		} else {
			v.Items[i] = defaultValue(f)
		}
	}
	if d.err == nil && d.flexible {
		d.tagged(&v)
	}
	return v
}

// tagged reads the section of tagged fields behind the others. Kafka takes the
// length of a field that it knows from the field itself, not from its size.
func (d *decoder) tagged(v *Value) {
	n := d.uvarint()
	switch {
	case n < 0:
		d.fail("Invalid negative number of tagged fields %d", n)
	case int64(n) > int64(d.remaining()):
		d.fail("Tried to read %d tagged fields, but there are only %d bytes remaining.", n, d.remaining())
	case n > maxTagged:
		d.fail("Tried to read %d tagged fields, which exceeds the maximum allowed count of %d.", n, maxTagged)
	}
	for ; n > 0 && d.err == nil; n-- {
		tag, size := uint32(d.uvarint()), d.uvarint()
		if i := taggedField(v.Fields, tag); i < 0 {
			if data := d.bytes(size); d.err == nil {
				v.Unknown = append(v.Unknown, Tagged{tag, data})
			}
		} else if f := &v.Fields[i]; !f.Tagged.Has(d.version) {
			d.fail("Tag %d is not valid for version %d", tag, d.version)
		} else {
			v.Items[i] = d.field(f, true)
		}
	}
}

func taggedField(fields []Field, tag uint32) int {
	for i := range fields {
		if f := &fields[i]; f.Tag == tag && f.Tagged != (Versions{}) {
			return i
		}
	}
	return -1
}

func (d *decoder) field(f *Field, tagged bool) Value {
	if f.Array {
		return d.array(f)
	}
	if f.Kind == Object && f.Nullable.Has(d.version) && d.isNull(tagged) {
		return Value{Kind: Object, Null: true, Nested: &Nested{Fields: f.Fields}}
	}
	return d.value(f, "")
}

// isNull reads the mark before an Object that may be null.
func (d *decoder) isNull(tagged bool) bool {
	if tagged {
		return d.uvarint() <= 0
	}
	return d.int8() < 0
}

func (d *decoder) array(f *Field) Value {
	v := Value{Kind: f.Kind, Array: true, Nested: d.room(nil)}
	v.Fields = f.Fields
	n := d.length(d.int32)
	switch {
	case d.err != nil:
		return v
	case n < 0:
		v.Null = true
		d.nullable(f, "")
		return v
	case int64(n) > int64(d.remaining()):
		d.fail("Tried to allocate a collection of size %d, but there are only %d bytes remaining.", n, d.remaining())
		return v
	case n > maxItems:
		d.fail("Tried to read a collection of size %d, which exceeds the maximum allowed size of %d.", n, maxItems)
		return v
	}
	// Every element takes a byte or more, so the list grows with what is read.
	v.Items = make([]Value, 0, min(n, 16))
	for ; n > 0 && d.err == nil; n-- {
		v.Items = append(v.Items, d.value(f, " element"))
	}
	return v
}

// value reads one value, of a field or an element of it.
func (d *decoder) value(f *Field, element string) Value {
	v := Value{Kind: f.Kind}
	if d.values++; d.values > maxValues {
		d.tooLarge()
	}
	switch f.Kind {
	case Bool:
		if d.int8() != 0 {
			v.Int = 1
		}
	case Int8:
		v.Int = int64(d.int8())
	case Int16:
		v.Int = int64(d.int16())
	case Uint16:
		v.Int = int64(uint16(d.int16()))
	case Int32:
		v.Int = int64(d.int32())
	case Uint32:
		v.Int = int64(uint32(d.int32()))
	case Int64, Float64:
		v.Int = d.int64()
	case UUID:
		if v.Bytes = d.take(16); v.Bytes == nil {
			v.Bytes = zeroUUID[:]
		}
	case String:
		n := d.length(func() int32 { return int32(d.int16()) })
		v.Null = n < 0
		switch {
		case n < 0:
			d.nullable(f, element)
		case n > maxString:
			d.fail("string field %s%s had invalid length %d", f.Name, element, n)
		default:
			v.Bytes = d.bytes(n)
		}
	case Bytes:
		n := d.length(d.int32)
		if v.Null = n < 0; v.Null {
			d.nullable(f, element)
		} else {
			v.Bytes = d.bytes(n)
		}
	case Object:
		if f.Closed != "" && d.version > d.last {
			d.fail("Can't read version %d of %s", d.version, f.Closed)
		}
		return d.object(f.Fields)
	}
	return v
}

// length reads a length: compact, that is one more in a varint, or as fixed
// reads it. Negative is null.
func (d *decoder) length(fixed func() int32) int32 {
	if d.flexible {
		return d.uvarint() - 1
	}
	return fixed()
}

// nullable refuses a null where there can't be one.
func (d *decoder) nullable(f *Field, element string) {
	if element != "" || !f.Nullable.Has(d.version) {
		d.fail("non-nullable field %s%s was serialized as null", f.Name, element)
	}
}
