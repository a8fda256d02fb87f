package transactions

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/kafsck/kafsck/internal/statefile"
)

// loadSnapshot takes the newest readable producer snapshot, which a broker
// begins with. Whether others are sound is a matter of sanity checks.
func (s *scan) loadSnapshot() error {
	for i := len(s.log.Snapshots) - 1; i >= 0; i-- {
		e := &s.log.Snapshots[i]
		snapshot, err := statefile.ReadFile(e.Path, statefile.ReadProducerSnapshot)
		switch {
		case statefile.Damage(err) != nil, errors.Is(err, fs.ErrNotExist): // the latter: deleted since it was listed
			continue
		case err != nil:
			return err
		}
		s.snapshot = e
		for _, p := range snapshot.Entries {
			if p.InTransaction() {
				s.believed = append(s.believed, p)
			}
		}
		return nil
	}
	return nil
}

func (s *scan) snapshotOffset() int64 {
	if s.snapshot == nil {
		return math.MaxInt64
	}
	return s.snapshot.File.BaseOffset
}

// reach notes what the log shows at the offset of the snapshot.
func (s *scan) reach() {
	if s.reached {
		return
	}
	s.reached = true
	s.atN = make(map[int64]int64, len(s.open))
	for id, t := range s.open {
		s.atN[id] = t.FirstOffset
	}
}

// compareSnapshot looks at the transactions that are open in the snapshot. It
// returns those that began before the log does and have not ended, and tells
// of ghosts.
func (s *scan) compareSnapshot() ([]*running, error) {
	var earlier []*running
	for _, p := range s.believed {
		first := p.CurrentTxnFirstOffset
		if at, open := s.atN[p.ProducerID]; open && at == first || s.endedInIt[p.ProducerID] {
			continue
		}
		if s.snapshotOffset() > s.end {
			// A broker deletes a snapshot from beyond the end of the log.
			continue
		}
		if s.first < 0 || first < s.first {
			t := s.open[p.ProducerID]
			if t == nil {
				t = &running{began: -1, Transaction: Transaction{
					Type: "transaction", Partition: s.log.Name, ProducerID: p.ProducerID, ProducerEpoch: p.ProducerEpoch,
					LastOffset: p.LastOffset, State: Open, CoordinatorEpoch: p.CoordinatorEpoch,
				}}
				earlier = append(earlier, t)
			}
			t.FirstOffset, t.FromSnapshot = first, &s.snapshot.Path
			continue
		}
		if s.summary.Damaged {
			continue // what began it may be among what is damaged
		}
		s.summary.Ghosts++
		if s.options.Ghost == nil {
			continue
		}
		message := fmt.Sprintf("open since offset %d, but the log has no transaction of this producer that begins there and is open", first)
		err := s.options.Ghost(&Ghost{
			Type: "ghost", Partition: s.log.Name, File: s.snapshot.Path,
			ProducerID: p.ProducerID, ProducerEpoch: p.ProducerEpoch, FirstOffset: first, Message: message,
		})
		if err != nil {
			return earlier, err
		}
	}
	return earlier, nil
}
