package salvage

import "github.com/kafsck/kafsck/internal/logdir"

// hold makes the replicas those of this moment, also where a broker goes on with
// their directories.
func (j *Job) hold() error {
	replicas := make([]Replica, 0, len(j.Replicas))
	for i := range j.Replicas {
		r := &j.Replicas[i]
		if r.swapped {
			continue // listed again with the replica before
		}
		held := []Replica{*r}
		if r.partition != nil {
			picture, err := r.partition.Hold(r.read)
			if err != nil {
				closeAll(replicas)
				return logdir.Named(err)
			}
			held = replicasOf(picture.Partition)
			if r.filter != nil {
				picture.Segments = r.filter.Segments(picture.Segments)
				held = held[:1]
			}
			for k := range held {
				held[k].filter, held[k].picture = r.filter, picture
			}
		}
		replicas = append(replicas, held...)
	}
	j.Replicas = replicas
	return nil
}

// read are the files of a listing that a salvage reads for their content.
func (r *Replica) read(p *logdir.Partition) []logdir.Entry {
	segments := p.Segments
	if r.filter != nil {
		segments = r.filter.Segments(segments)
	}
	files := append(logdir.Logs(segments), p.Swapped()...)
	files = append(files, p.Checkpoints...)
	if p.QuorumState != nil {
		files = append(files, *p.QuorumState)
	}
	return files
}

func closeAll(replicas []Replica) {
	for i := range replicas {
		replicas[i].picture.Close()
	}
}
