package cluster

import (
	"bytes"
	"errors"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/internal/topics"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/sanity"
)

// replay applies records to an image. Those of a metadata transaction are held
// back until its end.
type replay struct {
	image   *Image
	records int64
	skipped int64

	open    bool
	name    *string
	pending []pendingRecord
}

type pendingRecord struct {
	offset int64
	value  []byte
}

// errOpen says that a transaction begins in another, or ends none.
var errOpen = errors.New("transactions of metadata records don't match")

// record applies r or keeps it. Its error is about what the record refers to.
func (p *replay) record(r *topiclog.Record) error {
	if r.Err != nil {
		p.skipped++
		return nil
	}
	p.records++
	switch r.Type {
	case "BEGIN_TRANSACTION_RECORD":
		wasOpen := p.open
		p.open, p.name, p.pending = true, r.Value.Get("name").TextOrNil(), nil
		if wasOpen {
			return errOpen
		}
	case "END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD":
		return p.end(r.Type == "END_TRANSACTION_RECORD")
	default:
		if p.open {
			p.pending = append(p.pending, pendingRecord{r.Offset, bytes.Clone(r.RawValue)})
			return nil
		}
		return p.image.apply(r.Type, &r.Value.Value)
	}
	return nil
}

func (p *replay) end(apply bool) error {
	pending := p.pending
	wasOpen := p.open
	p.open, p.name, p.pending = false, nil, nil
	if !wasOpen {
		return errOpen
	}
	var errs []error
	for _, r := range pending {
		if apply {
			d := topics.ClusterMetadata.Decode(r.offset, nil, r.value)
			errs = append(errs, p.image.apply(d.Type, &d.Value.Value))
		}
	}
	return errors.Join(errs...)
}

// control applies a control record of the quorum, and returns the time in a
// checkpoint's header, −1 for others.
func (p *replay) control(c recordbatch.Control, value []byte) (timestamp int64) {
	if c.IsEndTransaction {
		return -1
	}
	m, err := message.ReadControl(int16(c.Type), value)
	if err != nil {
		p.skipped++
		return -1
	}
	switch c.Type {
	case recordbatch.ControlLeaderChange:
		p.image.LeaderID = int32(m.Get("leaderId").Int)
	case recordbatch.ControlSnapshotHeader:
		return m.Get("lastContainedLogTimestamp").Int
	case recordbatch.ControlKRaftVersion:
		p.image.KRaftVersion = int16(m.Get("kRaftVersion").Int)
	case recordbatch.ControlKRaftVoters:
		p.image.Voters = voters(m.Get("voters"))
	}
	return -1
}

func voters(v *message.Value) []Voter {
	list := make([]Voter, len(v.Items))
	for i := range v.Items {
		item := &v.Items[i]
		list[i] = Voter{
			ID: int32(item.Get("voterId").Int), DirectoryID: item.Get("voterDirectoryId").UUID(),
			Endpoints: endpoints(item.Get("endpoints")),
		}
	}
	return list
}

// reference reports a record that refers to what doesn't exist.
func reference(file string, b *recordbatch.Batch, offset int64, err error) sanity.Finding {
	f := sanity.At(sanity.MetadataReference, file)
	f.Position, f.EndPosition = b.Position, b.EndPosition()
	f.Offset, f.LastOffset = offset, offset
	f.Message = err.Error()
	return f
}
