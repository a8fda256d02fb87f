package cmd

import (
	"fmt"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/rebuild"
)

// indexText is one index of a plan for people.
func indexText(x *rebuild.Index, options *rebuild.Options) string {
	text := fmt.Sprintf("%s: %s index, %s, %d bytes, sha256 %s: %s", quoted(x.File), x.Kind,
		counted(int64(x.Entries), "entry"), x.Bytes, x.SHA256, differenceText(x))
	switch {
	case x.Written != "" && x.Backup != "":
		text += fmt.Sprintf("; written, the old file kept as %s", quoted(x.Backup))
	case x.Written != "" && options.InPlace:
		text += "; written"
	case x.Written != "":
		text += fmt.Sprintf("; written to %s", quoted(x.Written))
	case x.Identical || options.InPlace || options.OutDir != "":
	default:
		text += "; not written"
	}
	return text
}

func differenceText(x *rebuild.Index) string {
	switch {
	case x.Before == nil:
		return "missing"
	case x.Identical:
		return "identical"
	case x.Diff == nil:
		return fmt.Sprintf("differs from the one of %d bytes", x.Before.Bytes)
	case !x.Diff.Any() && x.Before.Preallocated:
		return fmt.Sprintf("the same entries, in a preallocated file of %d bytes", x.Before.Bytes)
	case !x.Diff.Any():
		return fmt.Sprintf("the same entries, in a file of %d bytes", x.Before.Bytes)
	}
	var parts []string
	for _, n := range []struct {
		count int
		what  string
	}{{x.Diff.Added, "added"}, {x.Diff.Removed, "removed"}, {x.Diff.Changed, "changed"}} {
		if n.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.count, n.what))
		}
	}
	return fmt.Sprintf("differs from %s: %s, first in slot %d: %s instead of %s", counted(int64(x.Before.Entries), "entry"),
		strings.Join(parts, ", "), x.Diff.FirstSlot, entryText(x.Kind, x.Diff.New), entryText(x.Kind, x.Diff.Old))
}

// entryText is the bytes of an entry in words; offsets are as stored.
func entryText(kind indexfile.Kind, entry []byte) string {
	if entry == nil {
		return "nothing"
	}
	switch kind {
	case indexfile.Offset:
		e, _ := indexfile.ParseOffsetEntry(entry, 0)
		return fmt.Sprintf("relative offset %d at position %d", e.RelativeOffset, e.Position)
	case indexfile.Time:
		e, _ := indexfile.ParseTimeEntry(entry, 0)
		return fmt.Sprintf("timestamp %d of relative offset %d", e.Timestamp, e.RelativeOffset)
	}
	e, _ := indexfile.ParseTxnEntry(entry)
	return fmt.Sprintf("producer %d, offsets %d to %d, last stable offset %d", e.ProducerID, e.FirstOffset, e.LastOffset, e.LastStableOffset)
}
