package sanity

import (
	"io"
	"slices"
	"time"

	"github.com/kafsck/kafsck/indexfile"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/internal/statefile"
)

// A running broker writes one file a moment after another, and some of them in
// place. What isn't right yet is looked at again for so long, for all of a
// partition together: damage that stays costs the wait once.
const (
	livePatience = time.Second
	livePause    = 10 * time.Millisecond
)

// comesTrue says whether something comes true while there is patience left.
func (p *partitionCheck) comesTrue(is func() bool) bool {
	for !is() {
		if p.waited >= livePatience {
			return false
		}
		p.waited += livePause
		if !p.pause(livePause) {
			return false
		}
	}
	return true
}

// pause waits. It is false where the run ended meanwhile.
func (p *partitionCheck) pause(d time.Duration) bool {
	select {
	case <-p.c.done:
		return false
	case <-time.After(d):
		return true
	}
}

// openSnapshot opens a producer snapshot. It is written in place
// (ProducerStateManager.writeSnapshot): where a broker runs it gets time to
// finish, and what was whole then is what is read.
func (p *partitionCheck) openSnapshot(path string) (r io.ReaderAt, size int64, done func(), err error) {
	p.comesTrue(func() bool {
		var f *file
		if f, size, err = p.c.open(path); err != nil {
			return true
		}
		if r, done = f, f.close; !p.env.live || size > statefile.MostPictured {
			return true
		}
		defer f.close()
		var whole bool
		r, size, whole, err = statefile.PictureSnapshot(f, size)
		done = func() {}
		return whole || err != nil
	})
	return r, size, done, err
}

// appended says whether the entry of the abort marker at offset has been
// appended to the index since it was opened: a broker appends the marker to
// the log, and then the entry (UnifiedLog.append).
func (c *txnIndexCheck) appended(offset int64) bool {
	f, size, err := c.s.partition.c.open(c.file)
	if err != nil {
		return false
	}
	defer f.close()
	r := indexfile.NewTxnReader(f, size, c.s.base)
	for e, err := range r.EntriesBetween(c.slots, r.Slots()) {
		if err != nil {
			return false
		}
		if e.LastOffset == offset {
			return true
		}
	}
	return false
}

// listingNow lists the partition again and returns what is there now, nil where
// it is what was there when the check began. A broker makes, renames and
// deletes files one by one (LogSegment.open, changeFileSuffixes,
// LocalLog.replaceSegments): a listing is no picture of one moment, and what
// was opened later may belong to other segments than those listed. So what is
// found in a partition of a running broker holds only if the partition is still
// the same at the end.
func (p *partitionCheck) listingNow() *logdir.Partition {
	if !p.pause(5 * livePause) { // what is under way is done then
		return nil
	}
	now, err := logdir.OpenPartition(p.p.Path)
	if err != nil || slices.Equal(segmentFiles(p.p), segmentFiles(now)) {
		return nil
	}
	now.Link = p.p.Link
	return now
}

// listed is a file in a listing.
type listed struct {
	name string
	size int64 // 0 for those of the newest segment, which grow
}

func segmentFiles(p *logdir.Partition) []listed {
	var all []listed
	for i := range p.Segments {
		s := &p.Segments[i]
		for _, e := range []*logdir.Entry{s.Log, s.Index, s.TimeIndex, s.TxnIndex} {
			if e == nil {
				continue
			}
			f := listed{name: e.Name}
			if i < len(p.Segments)-1 {
				f.size = e.Size
			}
			all = append(all, f)
		}
	}
	for i := range p.Snapshots {
		all = append(all, listed{name: p.Snapshots[i].Name})
	}
	return all
}
