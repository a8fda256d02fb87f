//go:build gen

package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// writer writes one schema as a composite literal.
type writer struct {
	*bytes.Buffer
	schema
	valid [2]int // first and last version
}

func (w *writer) write() error {
	var err error
	if w.valid, err = versions(w.ValidVersions); err != nil {
		return err
	}
	key := int16(-1)
	if w.APIKey != nil {
		key = *w.APIKey
	}
	fmt.Fprintf(w, "{Name: %q, Key: %d, Valid: Versions{%d, %d}", w.Name, key, w.valid[0], w.valid[1]+1)
	if r, err := w.versions(w.FlexibleVersions); err != nil {
		return err
	} else if r != "" {
		fmt.Fprintf(w, ", Flexible: %s", r)
	}
	w.WriteString(", Fields: []Field{\n")
	if err := w.fields(w.Fields); err != nil {
		return err
	}
	w.WriteString("}},\n")
	return nil
}

func (w *writer) fields(fields []field) error {
	for _, f := range fields {
		if err := w.field(f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

var kinds = map[string]string{
	"bool": "Bool", "int8": "Int8", "int16": "Int16", "uint16": "Uint16", "int32": "Int32", "uint32": "Uint32",
	"int64": "Int64", "float64": "Float64", "uuid": "UUID", "string": "String", "bytes": "Bytes",
}

func (w *writer) field(f field) error {
	name, array := strings.CutPrefix(f.Type, "[]")
	kind, scalar := kinds[name]
	if !scalar {
		kind = "Object"
	}
	if f.FlexibleVersions != "" {
		return fmt.Errorf("flexibleVersions of a field are not known here")
	}
	fmt.Fprintf(w, "{Name: %q, Kind: %s", strings.ToLower(f.Name[:1])+f.Name[1:], kind)
	if array {
		w.WriteString(", Array: true")
	}
	in := f.Versions
	if in == "" {
		in = f.TaggedVersions
	}
	for _, v := range []struct{ name, set string }{{"In", in}, {"Nullable", f.NullableVersions}, {"Tagged", f.TaggedVersions}} {
		r, err := w.versions(v.set)
		if err != nil {
			return err
		}
		if r != "" {
			fmt.Fprintf(w, ", %s: %s", v.name, r)
		}
	}
	if f.Tag != nil {
		fmt.Fprintf(w, ", Tag: %d", *f.Tag)
	}
	if err := w.defaultOf(f, kind, array); err != nil {
		return err
	}
	if f.MapKey {
		w.WriteString(", MapKey: true")
	}
	if !scalar {
		return w.object(f, name)
	}
	w.WriteString("},\n")
	return nil
}

// object writes the fields of a struct type, which stand in the field or among
// the common structs. Kafka's readers check the version of the former alone.
func (w *writer) object(f field, name string) error {
	fields := f.Fields
	if len(fields) > 0 {
		fmt.Fprintf(w, ", Closed: %q", name)
	} else {
		i := slices.IndexFunc(w.CommonStructs, func(s field) bool { return s.Name == name })
		if i < 0 {
			return fmt.Errorf("no struct %s", name)
		}
		fields = w.CommonStructs[i].Fields
	}
	w.WriteString(", Fields: []Field{\n")
	if err := w.fields(fields); err != nil {
		return err
	}
	w.WriteString("}},\n")
	return nil
}

func (w *writer) defaultOf(f field, kind string, array bool) error {
	// A bare null is no default: Kafka's generator takes only the text "null".
	d := strings.TrimSpace(fmt.Sprint(f.Default))
	switch {
	case d == "null":
		w.WriteString(", DefaultNull: true")
	case f.Default == nil, d == "", d == "false":
	case array || kind == "String" || kind == "Bytes" || kind == "UUID" || kind == "Object":
		return fmt.Errorf("default %q of a %s is not known here", d, kind)
	case d == "true":
		w.WriteString(", Default: 1")
	default:
		n, err := strconv.ParseInt(d, 0, 64)
		if err != nil {
			return err
		}
		if n != 0 {
			fmt.Fprintf(w, ", Default: %d", n)
		}
	}
	return nil
}

// versions gives a range as Go source, "" for none.
func (w *writer) versions(s string) (string, error) {
	r, err := versions(s)
	if err != nil || r[0] > r[1] {
		return "", err
	}
	begin, end := strconv.Itoa(r[0]), strconv.Itoa(r[1]+1)
	if r[0] <= w.valid[0] {
		begin = "first"
	}
	if r[1] >= w.valid[1] {
		end = "last"
	}
	if begin == "first" && end == "last" {
		return "all", nil
	}
	return "Versions{" + begin + ", " + end + "}", nil
}

// versions parses "3", "1-4", "2+", "none".
func versions(s string) ([2]int, error) {
	if s == "" || s == "none" {
		return [2]int{1, 0}, nil
	}
	from, to, isRange := strings.Cut(s, "-")
	if open, ok := strings.CutSuffix(s, "+"); ok {
		from, to, isRange = open, strconv.Itoa(math.MaxInt16), true
	}
	if !isRange {
		to = from
	}
	a, err := strconv.Atoi(from)
	if err != nil {
		return [2]int{}, err
	}
	b, err := strconv.Atoi(to)
	return [2]int{a, b}, err
}
