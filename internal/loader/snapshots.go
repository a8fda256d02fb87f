package loader

import (
	"cmp"
	"slices"
	"strings"
)

// snapshots are the producer snapshots that somebody knows of, by offset. A
// partition may have as many as segments, and each recovery of a segment looks
// through them, so that no step may cost a look at all.
type snapshots struct {
	files []snapshot // rising offsets
	gone  int        // how many of these are no longer there
}

type snapshot struct {
	offset int64
	name   string // "" where it is gone
}

func (s *snapshots) search(offset int64) (at int, found bool) {
	return slices.BinarySearchFunc(s.files, offset, func(f snapshot, offset int64) int { return cmp.Compare(f.offset, offset) })
}

// at is the name of the snapshot at an offset, "" where there is none.
func (s *snapshots) at(offset int64) string {
	if i, found := s.search(offset); found {
		return s.files[i].name
	}
	return ""
}

func (s *snapshots) len() int { return len(s.files) - s.gone }

func (s *snapshots) put(offset int64, name string) {
	i, found := s.search(offset)
	if !found {
		s.files = slices.Insert(s.files, i, snapshot{offset, name})
		return
	}
	if s.files[i].name == "" {
		s.gone--
	}
	s.files[i].name = name
}

func (s *snapshots) remove(offset int64) {
	i, found := s.search(offset)
	if !found || s.files[i].name == "" {
		return
	}
	s.files[i].name = ""
	if s.gone++; s.gone > 16 && s.gone > len(s.files)/2 {
		s.files = slices.DeleteFunc(slices.Clone(s.files), func(f snapshot) bool { return f.name == "" })
		s.gone = 0
	}
}

func (s *snapshots) clone() *snapshots {
	return &snapshots{slices.Clone(s.files), s.gone}
}

// newest is the one with the largest offset.
func (s *snapshots) newest() (snapshot, bool) {
	for _, f := range slices.Backward(s.files) {
		if f.name != "" {
			return f, true
		}
	}
	return snapshot{}, false
}

// upTo and above are the snapshots at offsets up to the given one, and those
// above it, in their order. They stay as they are while some are removed.
func (s *snapshots) upTo(offset int64) []snapshot {
	i, found := s.search(offset)
	if found {
		i++
	}
	return present(s.files[:i])
}

func (s *snapshots) above(offset int64) []snapshot {
	i, found := s.search(offset)
	if found {
		i++
	}
	return present(s.files[i:])
}

func (s *snapshots) all() []snapshot { return present(s.files) }

func present(files []snapshot) (there []snapshot) {
	for _, f := range files {
		if f.name != "" {
			there = append(there, f)
		}
	}
	return there
}

// noted keeps the directory's snapshots up to date when a file comes or goes.
func (d *directory) noted(name string, there bool) {
	if !strings.HasSuffix(name, extSnapshot) {
		return
	}
	offset, thrown := offsetOf(name)
	switch {
	case thrown != nil || fileName(offset, extSnapshot) != name:
		d.odd = true
	case there:
		d.snapshots.put(offset, name)
	default:
		d.snapshots.remove(offset)
	}
}

// list finds the snapshots (ProducerStateManager.loadSnapshots). Of names for
// the same offset the last one counts.
func (d *directory) list() (*snapshots, error) {
	found := &d.snapshots
	if !d.odd {
		return found, nil
	}
	var names []string
	for name := range d.files {
		if strings.HasSuffix(name, extSnapshot) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	found = new(snapshots)
	for _, name := range names {
		offset, thrown := offsetOf(name)
		if thrown != nil {
			return nil, thrown
		}
		found.put(offset, name)
	}
	return found, nil
}
