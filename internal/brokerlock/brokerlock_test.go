//go:build unix

package brokerlock_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/kafsck/kafsck/internal/brokerlock"
	"github.com/kafsck/kafsck/internal/brokerlock/locktest"
)

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

	pid, release := locktest.Hold(t, dir)
	want(true, pid)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	want(true, pid)
	release()
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
