//go:build unix

// Package locktest lets tests hold the lock of a log directory as a running
// broker does. POSIX locks never conflict within one process, so another one
// holds it: the test binary itself, which this package makes fit for that.
package locktest

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kafsck/kafsck/internal/brokerlock"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

const fileToHold = "KAFSCK_LOCKTEST_HOLD"

func init() {
	path := os.Getenv(fileToHold)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock); err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// Hold makes the .lock of a log directory, where there is none, and has a
// process hold it until release is called, or the test ends.
func Hold(t testing.TB, logDir string) (pid int, release func()) {
	t.Helper()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), fileToHold+"="+filepath.Join(logDir, brokerlock.Name))
	stop, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	released := false
	release = func() {
		if !released {
			released = true
			_ = stop.Close()
			_ = holder.Wait()
		}
	}
	t.Cleanup(release)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatal(line, err)
	}
	return holder.Process.Pid, release
}

// Partition writes files into a new partition directory t-0, whose log directory
// is held or not.
func Partition(t testing.TB, held bool, files map[string][]byte) (path string) {
	t.Helper()
	dir := t.TempDir()
	if held {
		Hold(t, dir)
	}
	path = filepath.Join(dir, "t-0")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(path, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// Logs is a Partition of logs, whose names have the base offsets 0, 1 and so on.
// paths are those of the logs.
func Logs(t testing.TB, held bool, logs ...[]byte) (partition string, paths []string) {
	t.Helper()
	files := make(map[string][]byte)
	for i, log := range logs {
		files[batchtest.FileName(int64(i), ".log")] = log
	}
	partition = Partition(t, held, files)
	for i := range logs {
		paths = append(paths, filepath.Join(partition, batchtest.FileName(int64(i), ".log")))
	}
	return partition, paths
}

// Remove removes a file, if it is there.
func Remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}
