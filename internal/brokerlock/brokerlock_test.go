//go:build unix

package brokerlock_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/brokerlock"
)

const holdFile = "KAFSCK_TEST_HOLD_LOCK"

// TestMain is also the other process: POSIX locks never conflict within one.
func TestMain(m *testing.M) {
	path := os.Getenv(holdFile)
	if path == "" {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock); err != nil {
		panic(err)
	}
	os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestOf(t *testing.T) {
	dir := t.TempDir()
	want := func(held bool, pid int) {
		t.Helper()
		h, err := brokerlock.Of(dir)
		if err != nil || h.Held != held || h.PID != pid {
			t.Errorf("%+v %v, want held %v by %d", h, err, held, pid)
		}
	}
	want(false, 0)
	path := filepath.Join(dir, brokerlock.Name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(false, 0)

	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holdFile+"="+path)
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
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatal(line, err)
	}
	want(true, holder.Process.Pid)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	want(true, holder.Process.Pid)
	if err := stop.Close(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Wait(); err != nil {
		t.Fatal(err)
	}
	want(false, 0)
}

func TestOfUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(brokerlock.Name, filepath.Join(dir, brokerlock.Name)); err != nil {
		t.Skip(err)
	}
	if h, err := brokerlock.Of(dir); err == nil {
		t.Errorf("%+v of a link to itself", h)
	}
}

// Something else of that name must not make anybody wait.
func TestNamedPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, brokerlock.Name), 0o600); err != nil {
		t.Skip(err) // a file system without them
	}
	done := make(chan brokerlock.Holder, 1)
	go func() {
		h, _ := brokerlock.Of(dir)
		done <- h
	}()
	select {
	case h := <-done:
		if h.Held {
			t.Error("held")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("waits for a writer")
	}
}
