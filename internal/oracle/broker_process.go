//go:build kafka

package oracle

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// broker is a running broker process.
type broker struct {
	cmd     *exec.Cmd
	done    chan struct{}
	root    string // the log directory
	tmp     string // its other files
	log     string // what it says
	address string // where clients find it
}

// startBroker makes the log directory ready and starts a broker on it. It is
// not known yet whether the broker comes up.
func (c *Client) startBroker(root string, opts BrokerOpts) (_ *broker, err error) {
	b := &broker{done: make(chan struct{})}
	if b.root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if b.tmp, err = os.MkdirTemp("", "kafsck-broker-"); err != nil {
		return nil, err
	}
	b.log = filepath.Join(b.tmp, "broker.log")
	if err = c.launch(b, opts); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.tmp))
	}
	return b, nil
}

func (c *Client) launch(b *broker, opts BrokerOpts) error {
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	b.address = "127.0.0.1:" + strconv.Itoa(ports[0])
	properties := filepath.Join(b.tmp, "server.properties")
	if err := os.WriteFile(properties, brokerProperties(b.root, ports, opts.Properties), 0o600); err != nil {
		return err
	}
	if opts.Format {
		if err := c.format(b.root, properties); err != nil {
			return err
		}
	}
	if opts.Unclean {
		err = errors.Join(err, removeIfThere(b.root, ".kafka_cleanshutdown"))
	}
	if opts.NoRecoveryPoint {
		err = errors.Join(err, removeIfThere(b.root, "recovery-point-offset-checkpoint"))
	}
	if err != nil {
		return err
	}
	out, err := os.Create(b.log)
	if err != nil {
		return err
	}
	defer out.Close() // the child has its own
	h := c.server.harness
	b.cmd = exec.Command(h.java, h.jvmArgs("-Djava.io.tmpdir="+b.tmp,
		"oracle.Oracle", "broker", "--parent", strconv.Itoa(os.Getpid()), properties)...)
	b.cmd.Stdout, b.cmd.Stderr = out, out
	if err := b.cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = b.cmd.Wait() // the exit status is what counts
		close(b.done)
	}()
	return nil
}

func (b *broker) running() bool {
	select {
	case <-b.done:
		return false
	default:
		return true
	}
}

func (b *broker) stop(patience time.Duration) (exit int, err error) {
	if b.running() {
		_ = b.cmd.Process.Signal(syscall.SIGTERM)
	}
	select {
	case <-b.done:
		return b.cmd.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		return 0, fmt.Errorf("the broker did not stop within %v", patience)
	}
}

// kill ends the process as a power cut would, but for the page cache.
func (b *broker) kill() {
	if b.running() {
		_ = b.cmd.Process.Kill()
		<-b.done
	}
}

// remove kills the broker if it still runs, and takes away its own files.
func (b *broker) remove() {
	b.kill()
	_ = os.RemoveAll(b.tmp)
}
