package statefile

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// UUID is a topic id, a directory id or a segment id: 16 bytes, big-endian,
// written as 22 characters of URL-safe Base64 without padding
// (org.apache.kafka.common.Uuid).
type UUID [16]byte

// The ids that Kafka never hands out.
var (
	// ZeroUUID stands for "no id"; as a directory id it means that the
	// replica is on its way from ZooKeeper ("migrating").
	ZeroUUID = UUID{}
	// UnassignedDirectoryID marks a replica that has no directory yet.
	UnassignedDirectoryID = UUID{15: 1}
	// LostDirectoryID marks a replica whose directory is offline.
	LostDirectoryID = UUID{15: 2}
)

// uuidChars is the length of the text form.
const uuidChars = 22

// ParseUUID reads the text form. As Kafka's reader does, it takes the two
// padding characters too, and ignores the four bits that the last character
// has too many.
func ParseUUID(s string) (UUID, error) {
	var id UUID
	text := s
	if len(text) == uuidChars+2 && text[uuidChars:] == "==" {
		text = text[:uuidChars]
	}
	if len(text) != uuidChars {
		return id, fmt.Errorf("id %s has %d characters, not %d", quoted(s), len(s), uuidChars)
	}
	for i := range len(text) {
		// Go's decoder skips line ends, Java's does not.
		if text[i] == '\n' || text[i] == '\r' {
			return id, fmt.Errorf("id %s is no URL-safe Base64", quoted(s))
		}
	}
	if _, err := base64.RawURLEncoding.Decode(id[:], []byte(text)); err != nil {
		return UUID{}, fmt.Errorf("id %s is no URL-safe Base64", quoted(s))
	}
	return id, nil
}

// String is the text form of 22 characters.
func (u UUID) String() string { return base64.RawURLEncoding.EncodeToString(u[:]) }

// MarshalText is the text form, for JSON.
func (u UUID) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads the text form.
func (u *UUID) UnmarshalText(text []byte) error {
	id, err := ParseUUID(string(text))
	if err == nil {
		*u = id
	}
	return err
}

// ReservedDirectory says whether u is one of the hundred ids that no log
// directory may have (org.apache.kafka.common.DirectoryId: the upper half is
// 0 and the lower one, signed, below 100).
func (u UUID) ReservedDirectory() bool {
	high, low := binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
	return high == 0 && int64(low) < 100
}
