package logdir

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Suffix is what stands behind the extension of a file that is not, or no
// longer, in use.
type Suffix string

// The suffixes. Brokers write the first five; Backup and Rebuilding are ours.
const (
	NoSuffix   Suffix = ""
	Deleted    Suffix = "deleted" // a broker deletes it when the delay is over, or at its start
	Cleaned    Suffix = "cleaned" // written by the cleaner or a split, not in use yet
	Swap       Suffix = "swap"    // complete, about to replace what it was made from
	Part       Suffix = "part"    // a KRaft snapshot being written
	Temporary  Suffix = "tmp"     // a small file before its rename
	Backup     Suffix = "bak"     // NAME.bak-<UTC time>: kept by rebuild-index
	Rebuilding Suffix = "new"     // NAME.kafsck-<random>.new: written by rebuild-index before its rename
)

const (
	backupMark     = ".bak-"
	rebuildingMark = ".kafsck-"
	backupTime     = "20060102T150405.000000000Z"
)

// BackupName is the name under which rebuild-index keeps the old file.
func BackupName(name string, at time.Time) string {
	return name + backupMark + at.UTC().Format(backupTime)
}

// TempPattern is the pattern, for os.CreateTemp, of the file that is going to
// replace name.
func TempPattern(name string) string {
	return name + rebuildingMark + "*." + string(Rebuilding)
}

// Name is what the name of a file says.
type Name struct {
	Kind   Kind
	Suffix Suffix // the outermost one
	// BaseOffset is the number before the first dot: the base offset of a
	// segment, the end offset (exclusive) of a producer snapshot or KRaft
	// checkpoint. It counts only with HasOffset.
	BaseOffset int64
	// HasOffset is false where a name of a kind that needs an offset has
	// none that can be parsed; a broker that meets such a segment file does
	// not start.
	HasOffset bool
	// Epoch is the leader epoch in the name of a KRaft checkpoint, else −1.
	Epoch int32
	// RemoteID is the segment id, 22 characters, in the names of tiered
	// storage: the index cache (OFFSET_ID.index) and LocalTieredStorage
	// (OFFSET-ID.log); else "".
	RemoteID string
	// BackupTime is the time in the name of a Backup, as it stands there.
	BackupTime string
	// Canonical says that the name is as Kafka writes it: an offset has 20
	// digits, an epoch 10. A broker takes "7.log" for a segment of base
	// offset 7, but then opens the file of the canonical name instead.
	Canonical bool
}

const (
	offsetDigits = 20
	epochDigits  = 10
	remoteChars  = 22
)

// ParseName parses the last element of a path.
func ParseName(name string) Name {
	n := Name{Epoch: -1}
	stem, backup := cutSuffixes(name, &n)
	n.BackupTime = backup
	if kind, ok := kindsByName[stem]; ok {
		n.Kind, n.Canonical = kind, true
		return n
	}
	dot := strings.LastIndexByte(stem, '.')
	if dot < 0 {
		return n
	}
	kind, ok := kindsByExtension[stem[dot:]]
	if !ok && stem[dot:] == remoteEpochsExtension {
		kind, ok = KindLeaderEpochCheckpoint, true
	}
	if !ok {
		return n
	}
	n.Kind = kind
	front, _, _ := strings.Cut(stem, ".")
	exact := len(front) == dot
	if kind == KindKRaftCheckpoint {
		n.checkpoint(front, exact)
		return n
	}
	if number, id, ok := cutRemote(front); ok {
		if n.BaseOffset, ok = parseOffset(number); ok {
			n.HasOffset, n.RemoteID, n.Canonical = true, id, exact
			return n
		}
	}
	n.BaseOffset, n.HasOffset = parseOffset(front)
	n.Canonical = exact && n.HasOffset && fmt.Sprintf("%020d", n.BaseOffset) == front
	return n
}

// cutSuffixes takes all suffixes off and notes the outermost.
func cutSuffixes(name string, n *Name) (stem, backup string) {
	note := func(s Suffix) {
		if n.Suffix == NoSuffix {
			n.Suffix = s
		}
	}
	for {
		if i := strings.LastIndex(name, backupMark); i > 0 && isTimestamp(name[i+len(backupMark):]) {
			note(Backup)
			if backup == "" {
				backup = name[i+len(backupMark):]
			}
			name = name[:i]
			continue
		}
		if front, ok := strings.CutSuffix(name, "."+string(Rebuilding)); ok {
			if i := strings.LastIndex(front, rebuildingMark); i > 0 {
				note(Rebuilding)
				name = front[:i]
				continue
			}
		}
		i := strings.LastIndexByte(name, '.')
		if i <= 0 {
			return name, backup
		}
		switch s := Suffix(name[i+1:]); s {
		case Deleted, Cleaned, Swap, Part, Temporary:
			note(s)
			name = name[:i]
		default:
			return name, backup
		}
	}
}

// isTimestamp accepts what BackupName writes, also with a number behind it.
func isTimestamp(s string) bool {
	if len(s) < len("20060102T150405Z") || s[8] != 'T' {
		return false
	}
	_, err := time.Parse("20060102T150405", s[:15])
	return err == nil && strings.Trim(s[15:], ".0123456789Z-") == ""
}

// checkpoint parses OFFSET-EPOCH, with -RANDOM behind it in an unfinished
// one. Kafka takes the two numbers from fixed places (Snapshots.parse); names
// with other widths are read here, but not by a broker.
func (n *Name) checkpoint(front string, exact bool) {
	parts := strings.Split(front, "-")
	if len(parts) < 2 || len(parts) > 3 {
		return
	}
	offset, ok := parseOffset(parts[0])
	epoch, err := strconv.ParseInt(parts[1], 10, 32)
	if !ok || err != nil {
		return
	}
	n.BaseOffset, n.Epoch, n.HasOffset = offset, int32(epoch), true
	n.Canonical = exact && len(parts[0]) == offsetDigits && len(parts[1]) == epochDigits &&
		(len(parts) == 2) == (n.Suffix != Part)
}

// cutRemote cuts OFFSET_ID or OFFSET-ID. The id may itself hold both signs.
func cutRemote(front string) (number, id string, ok bool) {
	at := len(front) - remoteChars - 1
	if at <= 0 || front[at] != '_' && front[at] != '-' {
		return "", "", false
	}
	id = front[at+1:]
	for _, c := range []byte(id) {
		if !isAlphanumeric(c) && c != '-' && c != '_' {
			return "", "", false
		}
	}
	return front[:at], id, true
}

// parseOffset is Long.parseLong.
func parseOffset(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// Sibling is the name of the file of another kind of the same segment, with
// the number as it is written here and the same suffix: the ".log" of an
// ".index", the ".log.deleted" of an ".index.deleted". It is "" where name
// has no siblings. A backup belongs to the segment itself.
func Sibling(name string, kind Kind) string {
	n := ParseName(name)
	from, ok := extensions[n.Kind]
	to, known := extensions[kind]
	if !ok || !known || !n.HasOffset || n.Kind == KindKRaftCheckpoint {
		return ""
	}
	stem, _ := cutSuffixes(name, new(Name))
	front := strings.TrimSuffix(stem, from)
	if n.Suffix == Backup || n.Suffix == Rebuilding {
		return front + to
	}
	return front + to + name[len(stem):]
}

// SiblingPath is Sibling for a path, or "".
func SiblingPath(path string, kind Kind) string {
	name := Sibling(filepath.Base(path), kind)
	if name == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(path), name)
}
