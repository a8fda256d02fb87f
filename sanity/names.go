package sanity

import (
	"fmt"
	"strings"

	"github.com/kafsck/kafsck/internal/logdir"
)

// names reports names that a broker can't use, and leftovers.
func (p *partitionCheck) names() {
	fold := newFolder(p.report)
	each := func(f Finding) {
		fold.sound()
		fold.add(f)
	}
	p.directoryName()
	for _, issue := range p.p.Issues {
		p.report.issue(issue, p.env.live)
	}
	for i := range p.p.Leftovers {
		e := &p.p.Leftovers[i]
		f := At(FileLeftover, e.Path)
		f.Message, f.Broker = leftover(e.File.Suffix)
		f.set("bytes", e.Size)
		each(f)
	}
	for i := range p.p.Other {
		e := &p.p.Other[i]
		if e.File.Kind == logdir.KindUnknown || e.File.RemoteID != "" || e.File.HasOffset && !e.File.Kind.IsSegment() {
			continue
		}
		f := At(FileName, e.Path)
		switch {
		case !e.File.HasOffset:
			f.Message = "there is no offset before the first dot of the name"
			f.Broker = "the load of the log fails with NumberFormatException"
		default:
			f.Message = "another file of the same meaning is the one in use"
			f.Broker = "the file is not read"
		}
		each(f)
	}
	for i := range p.p.Segments {
		s := &p.p.Segments[i]
		for _, e := range []*logdir.Entry{s.Log, s.Index, s.TimeIndex, s.TxnIndex} {
			if e == nil || e.File.Canonical {
				continue
			}
			f := At(FileName, e.Path)
			f.Message = fmt.Sprintf("the offset is not written with 20 digits: %020d", e.File.BaseOffset)
			f.Broker = "a broker takes the number for a segment's and then opens the file of the right name, which it makes if it is missing"
			each(f)
		}
	}
}

// directoryName reports what the name of the directory says.
func (p *partitionCheck) directoryName() {
	if !p.p.HasName {
		return
	}
	d := p.p.Dir
	switch reads := p.c.reads; {
	case reads.refusesMarker(d.Marker):
		p.report.add(reads.refusedName(p.p.Path, "the ending -"+string(d.Marker), markerReleases[d.Marker]))
	case d.Marker != logdir.NoMarker:
		f := At(FileLeftover, p.p.Path)
		switch d.Marker {
		case logdir.Delete:
			f.Message, f.Broker = "a partition being deleted", "loaded as an empty log and deleted when the delay is over"
		case logdir.Future:
			f.Message, f.Broker = "the copy of a partition on its way to this log directory", "the move goes on after the start"
		case logdir.Stray:
			f.Message, f.Broker = "a partition that is not assigned to this broker", "kept as it is until somebody deletes it"
		}
		p.report.add(f)
	}
	if err := logdir.CheckTopic(d.Topic); err != nil || d.Partition < 0 || !d.Canonical {
		f := At(FileName, p.p.Path)
		switch {
		case err != nil:
			f.Message = err.Error()
		default:
			f.Message = fmt.Sprintf("a broker writes the partition number as %d", d.Partition)
		}
		f.Broker = "loaded, but no client can reach the partition"
		p.report.add(f)
	}
}

// leftover says what a suffix means.
func leftover(s logdir.Suffix) (message, broker string) {
	switch s {
	case logdir.Deleted:
		return "waits for its deletion", "deleted when the delay is over, and at the next start"
	case logdir.Cleaned:
		return "output of the log cleaner or a split that was not finished", "deleted at the next start"
	case logdir.Swap:
		return "complete output of the log cleaner that was not put in place", "put in place at the next start, unless a .cleaned file stands against it"
	case logdir.Part:
		return "a KRaft snapshot that was not finished", "deleted at the next start"
	case logdir.Temporary:
		return "a small file before its rename", "ignored"
	case logdir.Backup:
		return "the old file that rebuild-index kept", "ignored"
	case logdir.Rebuilding:
		return "an index that rebuild-index did not finish", "ignored"
	}
	return "a leftover", "ignored"
}

// issue reports what a listing could not pass over.
func (r *report) issue(issue logdir.Issue, live bool) {
	switch issue.Kind {
	case logdir.Vanished:
		if !live {
			r.unreadable(issue.Path, -1, issue.Err)
		}
	case logdir.Unreadable:
		r.unreadable(issue.Path, -1, issue.Err)
	case logdir.NotAFile:
		f := At(FileName, issue.Path)
		f.Message, f.Broker = issue.Err.Error(), "ignored"
		r.add(f)
	}
}

// orphans reports indexes without their log.
func (p *partitionCheck) orphans() {
	for i := range p.p.Segments {
		s := &p.p.Segments[i]
		if s.Log != nil || p.explained(s.BaseOffset) {
			continue
		}
		for _, e := range []*logdir.Entry{s.Index, s.TimeIndex, s.TxnIndex} {
			if e == nil {
				continue
			}
			f := At(FileOrphan, e.Path)
			f.Message = "there is no " + logdir.Sibling(e.Name, logdir.KindLog) + " beside it"
			f.Broker = "deleted at the next start; if the log was lost, offsets from " + text(s.BaseOffset) + " on are gone"
			p.report.add(f)
		}
	}
}

// explained says whether the log with this base offset is missing because a
// cleaning or a deletion was interrupted.
func (p *partitionCheck) explained(base int64) bool {
	for i := range p.p.Leftovers {
		n := &p.p.Leftovers[i].File
		if n.Kind != logdir.KindLog || !n.HasOffset {
			continue
		}
		name := strings.TrimSuffix(p.p.Leftovers[i].Name, "."+string(n.Suffix))
		if n.Suffix == logdir.Deleted && n.BaseOffset == base && strings.HasSuffix(name, ".log") ||
			n.Suffix == logdir.Swap && n.BaseOffset <= base {
			return true
		}
	}
	return false
}
