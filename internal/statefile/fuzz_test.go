package statefile

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
)

// FuzzText: no reader of a text file panics or is silent about its place, and
// what is accepted stays the same when it is written and read again.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "0\n2\ntopicA 0 15\ntopicB 3 9001\n", "0\n1\n5 1200\n", "0\n-1\n",
		"version: 0\ntopic_id: XtXUDxRIQ5eYz5PPhMCIFg",
		"#c\nversion=1\nnode.id=1\ncluster.id=a\\u0041\\\n  b\ndirectory.id=C4eau6JhOqaB8zvDa1re7Q\n",
		`{"version":0,"brokerEpoch":14}`,
		`{"leaderId":1,"leaderEpoch":3,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}`,
		`{"clusterId":"","leaderId":1,"leaderEpoch":3,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1}],"data_version":0}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		offsets, ok := readBack(t, data, wrap(ReadOffsetCheckpoint))
		if ok {
			again(t, offsets, wrap(ReadOffsetCheckpoint), AppendOffsetCheckpoint(nil, offsets.(OffsetCheckpoint).Entries))
		}
		epochs, ok := readBack(t, data, wrap(ReadLeaderEpochs))
		if ok {
			again(t, epochs, wrap(ReadLeaderEpochs), AppendLeaderEpochs(nil, epochs.(LeaderEpochs).Entries))
		}
		metadata, ok := readBack(t, data, wrap(ReadPartitionMetadata))
		if ok {
			again(t, metadata, wrap(ReadPartitionMetadata), AppendPartitionMetadata(nil, metadata.(PartitionMetadata)))
		}
		readBack(t, data, wrap(ReadMetaProperties))
		readBack(t, data, wrap(ReadCleanShutdown))
		readBack(t, data, wrap(ReadQuorumState))
		properties, err := ParseProperties(data)
		if err != nil {
			return
		}
		more, err := ParseProperties(AppendProperties(nil, properties))
		if err != nil || len(more) != len(properties) {
			t.Fatalf("properties %+v became %+v: %v", properties, more, err)
		}
		for i := range more {
			if more[i].Key != properties[i].Key || more[i].Value != properties[i].Value {
				t.Fatalf("properties %+v became %+v", properties, more)
			}
		}
	})
}

// readBack reads data and checks the error; ok is false where there is one.
func readBack(t *testing.T, data []byte, read func(r io.ReaderAt, size int64) (any, error)) (value any, ok bool) {
	t.Helper()
	value, err := read(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		return value, true
	}
	var fault *Error
	if !errors.As(err, &fault) || fault.Kind == nil || fault.Position > int64(len(data)) {
		t.Fatalf("%q: %#v", data, err)
	}
	return value, false
}

// again reads what was written of value. Line numbers may differ.
func again(t *testing.T, value any, read func(r io.ReaderAt, size int64) (any, error), written []byte) {
	t.Helper()
	got, ok := readBack(t, written, read)
	if !ok || !reflect.DeepEqual(withoutLines(got), withoutLines(value)) {
		t.Fatalf("%v was written as %q and read as %v", value, written, got)
	}
}

// withoutLines forgets the line numbers of entries.
func withoutLines(v any) any {
	switch c := v.(type) {
	case OffsetCheckpoint:
		for i := range c.Entries {
			c.Entries[i].Line = 0
		}
	case LeaderEpochs:
		for i := range c.Entries {
			c.Entries[i].Line = 0
		}
	}
	return v
}

// FuzzSnapshot: no panic, as many entries as there are bytes for, and of an
// accepted file without a tail the same bytes when it is written again.
func FuzzSnapshot(f *testing.F) {
	f.Add(AppendProducerSnapshot(nil, nil), false)
	f.Add(AppendProducerSnapshot(nil, manyProducers(3)), false)
	f.Add([]byte{0, 1, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}, true)
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		if mend && len(data) >= snapshotHeaderSize {
			// Make the checksum right, to get behind it.
			info, _ := ScanProducerSnapshot(bytes.NewReader(data), int64(len(data)), func(ProducerEntry) error { return nil })
			data = bytes.Clone(data)
			for i := range 4 {
				data[2+i] = byte(info.ComputedCRC >> (24 - 8*i))
			}
		}
		s, err := ReadProducerSnapshot(bytes.NewReader(data), int64(len(data)))
		if len(s.Entries)*snapshotEntrySize > len(data) {
			t.Fatalf("%d entries of %d bytes", len(s.Entries), len(data))
		}
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Position > int64(len(data)) {
				t.Fatalf("%#v", err)
			}
			return
		}
		if want := data[:len(data)-int(s.TrailingBytes)]; s.TrailingBytes == 0 && !bytes.Equal(AppendProducerSnapshot(nil, s.Entries), want) {
			t.Fatalf("%x became %+v", data, s)
		}
	})
}

// FuzzUUID: an accepted text names 16 bytes, whose own text is accepted.
func FuzzUUID(f *testing.F) {
	for _, s := range []string{"XtXUDxRIQ5eYz5PPhMCIFg", "XtXUDxRIQ5eYz5PPhMCIFg==", "XtXUDxRIQ5eYz5PPhMCIFh", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseUUID(s)
		if err != nil {
			return
		}
		var back UUID
		if err := back.UnmarshalText([]byte(id.String())); err != nil || back != id {
			t.Fatalf("%q: %v became %v: %v", s, id, back, err)
		}
		if len(s) == uuidChars && s[:uuidChars-1] != id.String()[:uuidChars-1] {
			t.Fatalf("%q became %v", s, id)
		}
	})
}
