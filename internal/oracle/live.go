//go:build kafka

package oracle

import (
	"testing"
	"time"
)

// Live is a broker that runs until it is told otherwise, for tests that look
// at files while they are being written.
type Live struct {
	// Address is where clients find the broker.
	Address string
	tb      testing.TB
	b       *broker
}

// BrokerUp starts a single-node broker on the log dir root as BrokerCheck does
// and returns when it has led the topics of opts and taken their records. It
// is killed at the end of the test.
func (c *Client) BrokerUp(root string, opts BrokerOpts) *Live {
	c.tb.Helper()
	deadline := opts.deadline()
	b, err := c.startBroker(root, opts)
	if err != nil {
		c.tb.Fatalf("kafka broker on %s: %v", root, err)
	}
	c.tb.Cleanup(b.remove)
	r := new(BrokerReport)
	if err := c.consume(r, b, opts, deadline); err != nil || !r.OK {
		c.tb.Fatalf("kafka broker on %s: %v %v", root, err, r.Failure)
	}
	return &Live{Address: b.address, tb: c.tb, b: b}
}

// Stop ends the broker in an orderly way and returns its exit status, 143
// where all went well.
func (l *Live) Stop() int {
	l.tb.Helper()
	exit, err := l.b.stop(30 * time.Second)
	if err != nil {
		l.tb.Fatal(err)
	}
	return exit
}

// Kill ends the broker with SIGKILL.
func (l *Live) Kill() { l.b.kill() }
