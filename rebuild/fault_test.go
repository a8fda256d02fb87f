//go:build unix

package rebuild_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/brokerlock"
	"github.com/kafsck/kafsck/internal/fixture"
	"github.com/kafsck/kafsck/internal/logdir"
	"github.com/kafsck/kafsck/rebuild"
)

// faulty is the real file system, but for its k-th operation, and for syncs,
// which cost time and prove nothing here.
type faulty struct {
	rebuild.FS
	ops, failAt int
}

var errInjected = fmt.Errorf("injected: %w", syscall.ENOSPC)

func (f *faulty) op() error {
	f.ops++
	if f.ops-1 == f.failAt {
		return errInjected
	}
	return nil
}

func (f *faulty) Open(path string) (rebuild.File, error) {
	if err := f.op(); err != nil {
		return nil, err
	}
	return f.FS.Open(path)
}

func (f *faulty) CreateTemp(dir, pattern string) (rebuild.TempFile, error) {
	if err := f.op(); err != nil {
		return nil, err
	}
	temp, err := f.FS.CreateTemp(dir, pattern)
	return &faultyTemp{temp, f}, err
}

func (f *faulty) Lstat(path string) (fs.FileInfo, error) {
	if err := f.op(); err != nil {
		return nil, err
	}
	return f.FS.Lstat(path)
}

func (f *faulty) Names(dir string) ([]string, error) {
	if err := f.op(); err != nil {
		return nil, err
	}
	return f.FS.Names(dir)
}

func (f *faulty) Link(from, to string) error {
	if err := f.op(); err != nil {
		return err
	}
	return f.FS.Link(from, to)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.op(); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

func (f *faulty) Remove(path string) error {
	if err := f.op(); err != nil {
		return err
	}
	return f.FS.Remove(path)
}

func (f *faulty) SyncDir(string) error { return f.op() }

type faultyTemp struct {
	rebuild.TempFile
	f *faulty
}

func (t *faultyTemp) Write(p []byte) (int, error) {
	if err := t.f.op(); err != nil {
		n, _ := t.TempFile.Write(p[:len(p)/2])
		return n, err
	}
	return t.TempFile.Write(p)
}

func (t *faultyTemp) SetLike(like fs.FileInfo) error {
	if err := t.f.op(); err != nil {
		return err
	}
	return t.TempFile.SetLike(like)
}

func (t *faultyTemp) Sync() error { return t.f.op() }

func (t *faultyTemp) Close() error {
	err := t.TempFile.Close()
	return errors.Join(t.f.op(), err)
}

// A whole run of which the k-th operation fails, for every k: every index is
// the old or the new one, the failure is told, nothing else changed.
func TestRunFailsAtEveryOperation(t *testing.T) {
	dir := spoiled(t)
	keep := filepath.Join(t.TempDir(), "keep")
	if err := os.CopyFS(keep, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	want := recovered(t)
	for k := 0; ; k++ {
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(keep))); err != nil {
			t.Fatal(err)
		}
		o := defaults()
		faults := &faulty{FS: rebuild.OS, failAt: k}
		o.InPlace, o.FS = true, faults
		plans, err := run(t, dir, o)
		err = errorsOf(plans, err)
		if faults.ops <= k {
			if err != nil || k < 40 {
				t.Errorf("%d operations, %v", k, err)
			}
			return
		}
		// A leftover that can't be looked at is passed over.
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("operation %d: the error is %v", k, err)
		}
		oldOrNew(t, fmt.Sprintf("operation %d", k), dir, keep, want, false)
	}
}

// oldOrNew checks what a broken-off run left.
func oldOrNew(t *testing.T, when, dir, old string, want map[string][]byte, tempsAllowed bool) {
	t.Helper()
	before, err := os.ReadDir(old)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, e := range before {
		known[e.Name()] = true
		was := read(t, old, e.Name())
		is, err := os.ReadFile(filepath.Join(dir, e.Name()))
		switch {
		case err != nil:
			t.Errorf("%s: %v", when, err)
		case !bytes.Equal(is, was) && (want[e.Name()] == nil || !bytes.Equal(is, want[e.Name()])):
			t.Errorf("%s: %s is neither old nor new", when, e.Name())
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := logdir.ParseName(e.Name())
		switch {
		case known[e.Name()]:
		case name.Suffix == logdir.Backup:
			original, _, _ := strings.Cut(e.Name(), ".bak-")
			if !bytes.Equal(read(t, dir, e.Name()), read(t, old, original)) {
				t.Errorf("%s: %s is not the old file", when, e.Name())
			}
		case name.Suffix == logdir.Rebuilding && tempsAllowed:
		default:
			t.Errorf("%s: left %s", when, e.Name())
		}
	}
}

const (
	rebuildDir = "KAFSCK_TEST_REBUILD"
	holdFile   = "KAFSCK_TEST_HOLD_LOCK"
)

// TestMain is also the process that is killed, and the broker with the lock.
func TestMain(m *testing.M) {
	if dir := os.Getenv(rebuildDir); dir != "" {
		p, err := logdir.OpenPartition(dir)
		if err != nil {
			panic(err)
		}
		o := defaults()
		o.InPlace = true
		os.Stdout.WriteString("ready\n")
		for plan, err := range rebuild.New(o).Partition(context.Background(), p, p.Segments, 0) {
			if err != nil || plan.Err != nil {
				panic(err)
			}
		}
		return
	}
	if path := os.Getenv(holdFile); path != "" {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			panic(err)
		}
		lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock); err != nil {
			os.Stdout.WriteString("refused\n")
			return
		}
		os.Stdout.WriteString("ready\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// process starts this test binary in another role and waits for its first
// line.
func process(t *testing.T, env string) (c *exec.Cmd, line string, stop func()) {
	t.Helper()
	c = exec.Command(os.Args[0])
	c.Env = append(os.Environ(), env)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return c, line, func() { _ = in.Close(); _ = c.Wait() }
}

// Killed at random moments, then run again: at first each index is old or new,
// in the end all are new, and no temporary file is left.
func TestKilled(t *testing.T) {
	dir := spoiled(t)
	keep := filepath.Join(t.TempDir(), "keep")
	if err := os.CopyFS(keep, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	want := recovered(t)
	random := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for range 24 {
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(keep))); err != nil {
			t.Fatal(err)
		}
		c, _, stop := process(t, rebuildDir+"="+dir)
		time.Sleep(time.Duration(random.Int64N(int64(15 * time.Millisecond))))
		_ = c.Process.Kill()
		stop()
		if !c.ProcessState.Success() {
			kills++
		}
		oldOrNew(t, "killed", dir, keep, want, true)
		o := defaults()
		o.InPlace = true
		mustRun(t, dir, o)
		oldOrNew(t, "run again", dir, keep, want, false)
		for name, content := range want {
			if !bytes.Equal(read(t, dir, name), content) {
				t.Errorf("%s is not rebuilt by a second run", name)
			}
		}
	}
	t.Log(kills, "kills")
}

func TestLock(t *testing.T) {
	dir := spoiled(t)
	root := filepath.Dir(dir)
	lock := filepath.Join(root, brokerlock.Name)
	link := filepath.Join(t.TempDir(), "txn-0")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	o := defaults()
	o.InPlace = true

	_, line, stop := process(t, holdFile+"="+lock)
	if line != "ready\n" {
		t.Fatal(line)
	}
	before, err := fixture.HashTree(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link} {
		if err := errorsOf(run(t, path, o)); !errors.Is(err, rebuild.ErrLocked) || !strings.Contains(err.Error(), ".lock") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if after, err := fixture.HashTree(root); err != nil || len(fixture.DiffTrees(before, after)) > 0 {
		t.Errorf("changed: %v %v", fixture.DiffTrees(before, after), err)
	}
	mustRun(t, dir, defaults()) // a dry run only reads
	stop()

	// While files are replaced, no broker gets the lock, nor after the check of
	// what was written, which asks whether a broker runs.
	o.Verify = true
	var lines []string
	o.FS = &eachTime{rebuild.OS, func() {
		_, line, stop := process(t, holdFile+"="+lock)
		stop()
		lines = append(lines, line)
	}}
	mustRun(t, dir, o)
	if len(lines) < 2 || slices.ContainsFunc(lines, func(line string) bool { return line != "refused\n" }) {
		t.Errorf("brokers that start meanwhile are %q", lines)
	}
	_, line, stop = process(t, holdFile+"="+lock)
	stop()
	if line != "ready\n" {
		t.Errorf("a broker that starts afterwards is %q", line)
	}
}

// eachTime does something before each file is made or renamed.
type eachTime struct {
	rebuild.FS
	do func()
}

func (f *eachTime) CreateTemp(dir, pattern string) (rebuild.TempFile, error) {
	f.do()
	return f.FS.CreateTemp(dir, pattern)
}

func (f *eachTime) Rename(from, to string) error {
	f.do()
	return f.FS.Rename(from, to)
}

// Two runs on one directory at a time: the second one refuses.
func TestAnotherRun(t *testing.T) {
	dir := spoiled(t)
	o := defaults()
	o.InPlace = true
	var second error
	o.FS = &touchy{rebuild.OS, func() {
		other := defaults()
		other.InPlace = true
		second = errorsOf(run(t, dir, other))
	}}
	mustRun(t, dir, o)
	if second == nil || !strings.Contains(second.Error(), "another kafsck") {
		t.Errorf("got %v", second)
	}
}
