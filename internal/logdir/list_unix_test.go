//go:build unix

package logdir_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kafsck/kafsck/internal/logdir"
)

// TestNamedPipe: a pipe with a segment's name is told of, not waited for.
func TestNamedPipe(t *testing.T) {
	dir := write(t, filepath.Join(t.TempDir(), "t-0"), "00000000000000000000.log")
	pipe := filepath.Join(dir, "00000000000000000000.index")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	p, err := logdir.OpenPartition(dir)
	if err != nil || len(p.Issues) != 1 || p.Issues[0].Kind != logdir.NotAFile || p.Segments[0].Index != nil {
		t.Errorf("%+v %v", p, err)
	}
	if _, _, err := logdir.OpenFile(pipe); err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Error(err)
	}
	if _, err := logdir.Open(pipe); err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Error(err)
	}
}
