package sanity

import (
	"fmt"
	"iter"
	"strings"

	"github.com/kafsck/kafsck/indexfile"
)

// mostSorted is by how many slots an entry may be out of place and still be
// compared with the log. Healthy indexes are streamed; of others so many
// entries are held in memory.
const mostSorted = 1 << 15

// mostCompared is how many entries of an index that is out of order are
// compared with the log: more than a broker's largest index has.
const mostCompared = 1 << 21

// slotted is an entry with its place.
type slotted[E any] struct {
	slot  int64
	entry E
}

// cursor yields the used entries of an index in the order of their keys: the
// order in which a pass over the log meets what they point at.
type cursor[E any] struct {
	ordered bool  // slots come in their own order
	beyond  int64 // the slot that is out of order where not all are compared, −1
	key     func(E) int64
	source  func() (slotted[E], error, bool)
	stop    func()
	window  *heap[slotted[E]] // where the slots are not in order
	head    slotted[E]
	ok      bool
	err     error // of reading
}

// newCursor reads the first entries slots of r; zero slots are left out. The
// keys of a healthy index rise; with ties they may also stay.
func newCursor[E any](r *indexfile.Reader[E], entries int, key func(E) int64, isZero func(E) bool, ties bool) *cursor[E] {
	c := &cursor[E]{key: key, beyond: -1}
	var disorder int64
	disorder, c.err = firstDisorder(r, entries, key, isZero, ties)
	if c.err != nil {
		return c
	}
	c.ordered = disorder < 0
	if !c.ordered && entries > mostCompared {
		entries, c.beyond = mostCompared, disorder
	}
	c.source, c.stop = iter.Pull2(usedSlots(r, entries, isZero))
	if !c.ordered {
		c.window = &heap[slotted[E]]{less: func(a, b slotted[E]) bool {
			ka, kb := key(a.entry), key(b.entry)
			return ka < kb || ka == kb && a.slot < b.slot
		}}
	}
	if c.advance(); c.err != nil {
		c.close()
	}
	return c
}

// firstDisorder is the first slot whose key does not rise, −1 where all do.
func firstDisorder[E any](r *indexfile.Reader[E], entries int, key func(E) int64, isZero func(E) bool, ties bool) (int64, error) {
	last, first, slot := int64(0), true, int64(-1)
	for e, err := range r.EntriesBetween(0, entries) {
		if err != nil {
			return -1, err
		}
		slot++
		if isZero(e) {
			continue
		}
		k := key(e)
		if !first && (k < last || k == last && !ties) {
			return slot, nil
		}
		last, first = k, false
	}
	return -1, nil
}

func usedSlots[E any](r *indexfile.Reader[E], entries int, isZero func(E) bool) iter.Seq2[slotted[E], error] {
	return func(yield func(slotted[E], error) bool) {
		slot := int64(-1)
		for e, err := range r.EntriesBetween(0, entries) {
			slot++
			if err == nil && isZero(e) {
				continue
			}
			if !yield(slotted[E]{slot, e}, err) {
				return
			}
		}
	}
}

// advance moves to the next entry; ok is false where there is none.
func (c *cursor[E]) advance() {
	if c.window == nil {
		c.head, c.ok = c.read()
		return
	}
	for len(c.window.all) < mostSorted {
		s, ok := c.read()
		if !ok {
			break
		}
		c.window.push(s)
	}
	if c.ok = len(c.window.all) > 0; c.ok {
		c.head = c.window.pop()
	}
}

func (c *cursor[E]) read() (slotted[E], bool) {
	if c.source == nil || c.err != nil {
		return slotted[E]{}, false
	}
	s, err, ok := c.source()
	if ok && err != nil {
		c.err, ok = err, false
	}
	return s, ok
}

func (c *cursor[E]) close() {
	if c.stop != nil {
		c.stop()
	}
}

// verdict is what was found out about one slot; code is "" for a right one.
type verdict[E any] struct {
	slotted[E]
	code   Code
	format string // of the message, made only where it is shown
	args   [4]int64
	skip   bool // can't be judged, or explained by damage of the log
}

// wrongVerdict is the verdict on a wrong slot.
func wrongVerdict[E any](e slotted[E], code Code, format string, args ...int64) verdict[E] {
	v := verdict[E]{slotted: e, code: code, format: format}
	copy(v.args[:], args)
	return v
}

// message is the message with as many of the arguments as the format takes.
func (v *verdict[E]) message() string {
	args := make([]any, 0, len(v.args))
	for i := range min(strings.Count(v.format, "%d"), len(v.args)) {
		args = append(args, v.args[i])
	}
	return fmt.Sprintf(v.format, args...)
}

// verdicts hands verdicts on in the order of slots as far as memory allows.
type verdicts[E any] struct {
	ordered bool
	held    heap[verdict[E]]
	settle  func(verdict[E])
}

func newVerdicts[E any](ordered bool, settle func(verdict[E])) *verdicts[E] {
	v := &verdicts[E]{ordered: ordered, settle: settle}
	v.held.less = func(a, b verdict[E]) bool { return a.slot < b.slot }
	return v
}

func (v *verdicts[E]) add(x verdict[E]) {
	if v.ordered {
		v.settle(x)
		return
	}
	v.held.push(x)
	if len(v.held.all) > mostSorted {
		v.settle(v.held.pop())
	}
}

// end hands on what was held back.
func (v *verdicts[E]) end() {
	for len(v.held.all) > 0 {
		v.settle(v.held.pop())
	}
}
