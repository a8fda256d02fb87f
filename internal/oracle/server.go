//go:build kafka

package oracle

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// server is one JVM that answers one request at a time, JSON lines in and out.
//
// It needs no end of its own: the harness leaves when its input ends, and at
// once when this process does.
type server struct {
	harness harness

	mu      sync.Mutex
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  ring
	scratch string
	// scratchIn is where scratch is made; "" the usual place.
	scratchIn string
	id        int
}

// response is the frame around every answer.
type response struct {
	ID     int             `json:"id"`
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
	Log    []string        `json:"log"`
}

// jvmArgs are for short-lived JVMs: the fast compiler, a small collector, no
// shared performance file.
func (h harness) jvmArgs(args ...string) []string {
	jvm := append([]string{"-Xmx640m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", h.classpath}, h.args...)
	return append(jvm, args...)
}

func (s *server) start() error {
	scratch, err := os.MkdirTemp(s.scratchIn, "kafsck-oracle-")
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	cmd := exec.Command(s.harness.java, s.harness.jvmArgs("-Djava.io.tmpdir="+scratch,
		"oracle.Oracle", "serve", "--parent", strconv.Itoa(os.Getpid()), "--scratch", scratch)...)
	s.stderr = ring{}
	cmd.Stderr = &s.stderr
	cmd.WaitDelay = time.Second
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	s.cmd, s.in, s.out, s.scratch = cmd, in, bufio.NewReaderSize(out, 1<<20), scratch
	return nil
}

// kill ends the JVM; the next request starts another one.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.scratch)
	s.cmd = nil
}

// ask sends one request and waits for its answer, at most for the given time.
// The error is an *Error if Kafka itself refused.
func (s *server) ask(req map[string]any, timeout time.Duration) (response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return response{}, err
		}
	}
	s.id++
	req["id"] = s.id
	line, err := json.Marshal(req)
	if err != nil {
		return response{}, fmt.Errorf("oracle: %w", err)
	}
	expired := make(chan struct{})
	timer := time.AfterFunc(timeout, func() {
		close(expired)
		_ = s.cmd.Process.Kill()
	})
	resp, err := s.exchange(append(line, '\n'))
	stopped := timer.Stop()
	if err == nil && resp.ID != s.id {
		err = fmt.Errorf("answer to request %d came for request %d", resp.ID, s.id)
	}
	switch {
	case !stopped:
		<-expired // the timer reads s.cmd
		s.kill()
		return response{}, fmt.Errorf("oracle: no answer within %v to %s", timeout, short(line))
	case err != nil:
		s.kill()
		return response{}, fmt.Errorf("oracle: the JVM failed on %s: %w\n%s", short(line), err, tail(s.stderr.buf, 4000))
	case !resp.OK && resp.Error == nil:
		return resp, fmt.Errorf("oracle: refused without a reason: %s", short(line))
	case !resp.OK:
		return resp, resp.Error
	}
	return resp, nil
}

func (s *server) exchange(line []byte) (response, error) {
	var resp response
	if _, err := s.in.Write(line); err != nil {
		return resp, err
	}
	answer, err := s.out.ReadBytes('\n')
	if err != nil {
		return resp, err
	}
	return resp, json.Unmarshal(answer, &resp)
}

func short(line []byte) []byte {
	if len(line) > 300 {
		return append(line[:300:300], "..."...)
	}
	return line
}
