package rebuild

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/logdir"
)

const (
	offsetPath = "/d/t-0/00000000000000000000.index"
	timePath   = "/d/t-0/00000000000000000000.timeindex"
	txnPath    = "/d/t-0/00000000000000000000.txnindex"
	logPath    = "/d/t-0/00000000000000000000.log"
)

// before is what lies there before each run: one index is missing.
var before = map[string]string{offsetPath: "old offsets", timePath: "old times", logPath: "log"}

var after = map[string]string{offsetPath: "new offsets!", timePath: "", txnPath: "new transactions"}

// publishAll publishes new contents of all three indexes.
func publishAll(m *memFS) (files []*replacement, err error) {
	log := infoOf(logPath, m.names[logPath])
	for _, path := range []string{offsetPath, timePath, txnPath} {
		r := &replacement{dir: filepath.Dir(path), name: filepath.Base(path), content: []byte(after[path]), like: log}
		if node := m.names[path]; node != nil {
			r.old = infoOf(path, node)
			r.like = r.old
		}
		files = append(files, r)
	}
	p := &publisher{fs: m, now: func() time.Time { return time.Unix(1e9, 0) }}
	return files, p.publish(files, func() error { return nil })
}

// judge says what is wrong with what is there after a run that was broken off:
// each index must be the old one or the whole new one, the log as it was,
// every other file a whole backup or, where left is allowed, a temporary file.
func judge(names map[string]*inode, content func(*inode) []byte, leftAllowed bool) (wrong []string) {
	for path, old := range before {
		node := names[path]
		if node == nil {
			wrong = append(wrong, path+" is absent")
			continue
		}
		if got := string(content(node)); got != old && (path == logPath || got != after[path]) {
			wrong = append(wrong, path+" is "+got)
		}
	}
	if node := names[txnPath]; node != nil && string(content(node)) != after[txnPath] {
		wrong = append(wrong, txnPath+" is "+string(content(node)))
	}
	kept := map[string]bool{}
	for path, node := range names {
		name := logdir.ParseName(filepath.Base(path))
		switch name.Suffix {
		case logdir.NoSuffix:
		case logdir.Backup:
			original := path[:strings.Index(path, ".bak-")]
			if string(content(node)) != before[original] {
				wrong = append(wrong, path+" is "+string(content(node)))
			}
			kept[original] = true
		case logdir.Rebuilding:
			if !leftAllowed {
				wrong = append(wrong, path+" was left")
			}
		default:
			wrong = append(wrong, path+" is of nobody")
		}
	}
	for _, path := range []string{offsetPath, timePath} {
		if node := names[path]; node != nil && string(content(node)) != before[path] && !kept[path] {
			wrong = append(wrong, "the old "+path+" is lost")
		}
	}
	return wrong
}

func TestPublish(t *testing.T) {
	for _, noLinks := range []bool{false, true} {
		m := newMemFS(before)
		m.noLinks = noLinks
		files, err := publishAll(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.pending) > 0 {
			t.Errorf("%d changes of names are not durable", len(m.pending))
		}
		for path, want := range after {
			if node := m.durable[path]; node == nil || string(node.synced) != want || node.mode != 0o640 {
				t.Errorf("%s: %+v, want %q", path, node, want)
			}
		}
		if wrong := judge(m.names, func(n *inode) []byte { return n.synced }, false); wrong != nil {
			t.Error(wrong)
		}
		if !files[0].published || files[0].backup != offsetPath+".bak-20010909T014640.000000000Z" || files[2].backup != "" {
			t.Errorf("%+v, %+v", files[0], files[2])
		}
		if len(m.names) != 6 { // three indexes, two backups, the log
			t.Errorf("%v", slices.Sorted(maps.Keys(m.names)))
		}
	}
}

// A run that fails at any operation leaves old or new files, says so, and
// leaves nothing else.
func TestPublishFailsAtEveryOperation(t *testing.T) {
	for _, noLinks := range []bool{false, true} {
		for k := 0; ; k++ {
			m := newMemFS(before)
			m.failAt, m.noLinks = k, noLinks
			files, err := publishAll(m)
			if m.ops <= k {
				if k < 30 {
					t.Errorf("only %d operations", k)
				}
				break
			}
			if !errors.Is(err, errInjected) {
				t.Errorf("operation %d: the error is %v", k, err)
			}
			if wrong := judge(m.names, func(n *inode) []byte { return n.data }, false); wrong != nil {
				t.Errorf("operation %d failed (links %v): %v", k, !noLinks, wrong)
			}
			for _, r := range files {
				is := m.names[r.path()]
				if r.published != (is != nil && string(is.data) == after[r.path()]) {
					t.Errorf("operation %d: %s: published %v", k, r.path(), r.published)
				}
			}
		}
	}
}

// Where the file system is gone for good, temporary files may stay, no more.
func TestPublishFailsForGood(t *testing.T) {
	for k := 0; ; k++ {
		m := newMemFS(before)
		m.failAt, m.sticky = k, true
		_, err := publishAll(m)
		if m.ops <= k {
			break
		}
		if !errors.Is(err, errInjected) {
			t.Errorf("operation %d: the error is %v", k, err)
		}
		if wrong := judge(m.names, func(n *inode) []byte { return n.data }, true); wrong != nil {
			t.Errorf("from operation %d on: %v", k, wrong)
		}
	}
}

// A crash at any operation, whatever of the names had become durable and
// nothing but what was synced of the contents, leaves old or new files.
func TestPublishCrashesAtEveryOperation(t *testing.T) {
	states := 0
	for _, noLinks := range []bool{false, true} {
		for k := 0; ; k++ {
			m := newMemFS(before)
			m.crashAt, m.noLinks = k, noLinks
			if crashed := crashes(func() { _, _ = publishAll(m) }); !crashed {
				break
			}
			for _, names := range m.afterCrash() {
				states++
				if wrong := judge(names, func(n *inode) []byte { return n.synced }, true); wrong != nil {
					t.Errorf("crash at operation %d (links %v): %v", k, !noLinks, wrong)
				}
			}
		}
	}
	if states < 500 {
		t.Errorf("only %d states after a crash", states)
	}
}

func crashes(f func()) (crashed bool) {
	defer func() {
		if r := recover(); r != nil {
			if r != any(errCrash) {
				panic(r)
			}
			crashed = true
		}
	}()
	f()
	return false
}

// What is written wrongly, or changes meanwhile, is never published.
func TestPublishRefuses(t *testing.T) {
	refused := errors.New("refused")
	for name, spoil := range map[string]func(m *memFS, r *replacement) (unchanged error){
		"the check fails":          func(_ *memFS, r *replacement) error { r.check = func(File, int64) error { return refused }; return nil },
		"the log changed":          func(*memFS, *replacement) error { return refused },
		"the old file changed":     func(m *memFS, _ *replacement) error { m.names[offsetPath].time = time.Unix(2e9, 0); return nil },
		"the old file grew":        func(m *memFS, _ *replacement) error { m.names[offsetPath].data = []byte("old and more"); return nil },
		"the old file is another":  func(m *memFS, _ *replacement) error { m.names[offsetPath] = &inode{data: []byte("x")}; return nil },
		"the old file is gone":     func(m *memFS, _ *replacement) error { delete(m.names, offsetPath); return nil },
		"there is one all at once": func(_ *memFS, r *replacement) error { r.old = nil; return nil },
	} {
		m := newMemFS(before)
		r := &replacement{dir: "/d/t-0", name: filepath.Base(offsetPath), content: []byte("new"), like: infoOf(logPath, m.names[logPath])}
		r.old = infoOf(offsetPath, m.names[offsetPath])
		unchanged := spoil(m, r)
		p := &publisher{fs: m, now: time.Now}
		want := len(m.names)
		if err := p.publish([]*replacement{r}, func() error { return unchanged }); err == nil || r.published {
			t.Errorf("%s: published, %v", name, err)
		}
		if len(m.names) != want {
			t.Errorf("%s: left %v", name, slices.Sorted(maps.Keys(m.names)))
		}
	}
}

// withoutLinks is a real file system that has no second names.
type withoutLinks struct{ FS }

func (withoutLinks) Link(string, string) error { return syscall.EPERM }

// An old file is held in memory to be copied, but not whatever its size says.
func TestPublishCopiesNoHugeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "00000000000000000000.index")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Truncate(path, 1<<40)); err != nil {
		t.Skip(err) // a file system without sparse files
	}
	old, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &publisher{fs: withoutLinks{OS}, now: time.Now}
	r := &replacement{dir: dir, name: filepath.Base(path), content: []byte("new"), old: old, like: old}
	if err := p.publish([]*replacement{r}, func() error { return nil }); err == nil || r.published {
		t.Error(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Size() != 1<<40 {
		t.Error(info, err)
	}
}
