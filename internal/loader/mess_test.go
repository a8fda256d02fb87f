//go:build kafka

package loader_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// mess does several things to a partition directory that crashes, full disks
// and people do.
type mess struct {
	t    *testing.T
	rnd  *rand.Rand
	dir  string
	done []string
}

func (m *mess) files(suffix string) []string {
	names, err := filepath.Glob(filepath.Join(m.dir, "*"+suffix))
	if err != nil {
		m.t.Fatal(err)
	}
	return names
}

func (m *mess) pick(suffix string) string {
	names := m.files(suffix)
	if len(names) == 0 {
		return ""
	}
	return names[m.rnd.IntN(len(names))]
}

func (m *mess) note(format string, args ...any) {
	m.done = append(m.done, fmt.Sprintf(format, args...))
}

func (m *mess) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *mess) edit(name string, f func(d []byte) []byte) {
	d, err := os.ReadFile(name)
	m.must(err)
	m.must(os.WriteFile(name, f(d), 0o644))
}

func (m *mess) step() {
	any := []string{".log", ".index", ".timeindex", ".txnindex", ".snapshot", "leader-epoch-checkpoint", "partition.metadata"}
	name := m.pick(any[m.rnd.IntN(len(any))])
	log := m.pick(".log")
	if name == "" || log == "" {
		return
	}
	base := strings.TrimSuffix(log, ".log")
	exts := []string{".log", ".index", ".timeindex", ".txnindex"}
	switch m.rnd.IntN(12) {
	case 0:
		m.note("remove %s", filepath.Base(name))
		m.must(os.Remove(name))
	case 1:
		m.note("cut %s", filepath.Base(log))
		m.edit(log, func(d []byte) []byte { return d[:m.rnd.IntN(len(d)+1)] })
	case 2:
		m.note("flip in %s", filepath.Base(log))
		m.edit(log, func(d []byte) []byte {
			if len(d) > 0 {
				d[m.rnd.IntN(len(d))] ^= 1 << m.rnd.IntN(8)
			}
			return d
		})
	case 3:
		m.note("zeros behind %s", filepath.Base(log))
		m.edit(log, func(d []byte) []byte { return append(d, make([]byte, m.rnd.IntN(100))...) })
	case 4: // an interrupted cleaning, or what looks like one
		suffix := []string{".swap", ".cleaned", ".deleted"}[m.rnd.IntN(3)]
		for _, ext := range exts {
			if d, err := os.ReadFile(base + ext); err == nil && m.rnd.IntN(4) > 0 {
				m.note("copy %s to %s", filepath.Base(base+ext), suffix)
				m.must(os.WriteFile(base+ext+suffix, d, 0o644))
			}
		}
	case 5: // two segments made one, about to be swapped in
		logs := m.files(".log")
		slices.Sort(logs)
		if len(logs) > 1 {
			a, err := os.ReadFile(logs[0])
			m.must(err)
			b, err := os.ReadFile(logs[1])
			m.must(err)
			m.note("merge the first two into a .swap")
			m.must(os.WriteFile(logs[0]+".swap", append(a, b...), 0o644))
		}
	case 6:
		suffix := []string{".swap", ".cleaned", ".deleted", ".tmp", ".bak"}[m.rnd.IntN(5)]
		m.note("rename %s to %s", filepath.Base(name), suffix)
		m.must(os.Rename(name, name+suffix))
	case 7:
		m.note("empty %s", filepath.Base(name))
		m.must(os.Truncate(name, 0))
	case 8: // an index of another segment
		if from, to := m.pick(".index"), m.pick(".index"); from != "" {
			d, err := os.ReadFile(from)
			m.must(err)
			m.note("%s in the place of %s", filepath.Base(from), filepath.Base(to))
			m.must(os.WriteFile(to, d, 0o644))
		}
	case 9: // preallocated
		if name := m.pick(".index"); name != "" {
			m.note("zeros behind %s", filepath.Base(name))
			m.edit(name, func(d []byte) []byte { return append(d, make([]byte, 80)...) })
		}
	case 10: // the whole segment gone
		m.note("remove segment %s", filepath.Base(base))
		for _, ext := range exts {
			_ = os.Remove(base + ext)
		}
	case 11: // a segment under another number
		offset := m.rnd.Int64N(2000)
		m.note("%s called %d", filepath.Base(log), offset)
		m.must(os.Rename(log, filepath.Join(m.dir, batchtest.FileName(offset, ".log"))))
	}
}
