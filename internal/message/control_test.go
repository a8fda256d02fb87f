package message_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/message"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestControlText(t *testing.T) {
	for _, c := range []struct {
		typeID      int16
		value, text string
	}{
		{3, "0000 000001748 76e8000 00", ` SnapshotHeader {"version":0,"lastContainedLogTimestamp":1600000000000}`},
		{4, "0000 00", ` SnapshotFooter {"version":0}`},
		{5, "0000 0001 00", ` KRaftVersion {"version":0,"kRaftVersion":1}`},
		{2, "0000 00000001 03 00000001 00 00000002 00 02 00000001 00 00",
			` LeaderChange: {"version":0,"leaderId":1,"voters":[{"voterId":1},{"voterId":2}],"grantingVoters":[{"voterId":1}]}`},
		{7, "", ` controlType: UNKNOWN(7)`},
		{-2, "00", ` controlType: UNKNOWN(-2)`},
		// Read as version 0 and written as version 1, which has a field more.
		{2, "0001 00000001 02 00000001 00 01 00",
			` LeaderChange: {"version":1,"leaderId":1,"voters":[{"voterId":1,"voterDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA"}],"grantingVoters":[]}`},
	} {
		got, err := message.ControlText([]byte("x"), c.typeID, unhex(t, c.value))
		if err != nil || string(got) != "x"+c.text {
			t.Errorf("type %d: got %q, %v\nwant %q", c.typeID, got, err, c.text)
		}
	}
}

func TestControlTextErrors(t *testing.T) {
	for _, c := range []struct {
		typeID        int16
		value, reason string
	}{
		{3, "0000 0000", "null"},
		{4, "", "null"},
		{2, "0000 00000001 00", "non-nullable field voters was serialized as null"},
		{2, "0000 00000001 ffffffff07", "Tried to allocate a collection of size 2147483646, but there are only 0 bytes remaining."},
		{4, "0000 ffffffff7f", "Invalid negative number of tagged fields -1"},
		{4, "0000 ffffffffff", "Varint is too long, the most significant bit in the 5th byte is set, converted value: ffffffff"},
	} {
		got, err := message.ControlText([]byte("x"), c.typeID, unhex(t, c.value))
		var e *message.Error
		if !errors.As(err, &e) || e.Kafka != c.reason || string(got) != "x" {
			t.Errorf("type %d, %s: got %q, %v\nwant %s", c.typeID, c.value, got, err, c.reason)
		}
	}
}

func TestControlBody(t *testing.T) {
	for _, c := range []struct {
		typeID      int16
		value, body string
	}{
		{4, "0000 00", `{"version":0}`},
		{2, "0001 00000001 02 00000001 00112233445566778899aabbccddeeff 00 01 00",
			`{"version":1,"leaderId":1,"voters":[{"voterId":1,"voterDirectoryId":"ABEiM0RVZneImaq7zN3u_w"}],"grantingVoters":[]}`},
		{4, "0001 00", ""},    // a version that isn't known
		{4, "0000 00 00", ""}, // something left over
		{7, "0000", ""},
		{5, "0000", ""},
	} {
		got, err := message.ControlBody(c.typeID, unhex(t, c.value))
		if string(got) != c.body || (err == nil) != (c.body != "") {
			t.Errorf("type %d, %s: got %s, %v\nwant %s", c.typeID, c.value, got, err, c.body)
		}
	}
}
