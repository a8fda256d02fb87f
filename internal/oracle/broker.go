//go:build kafka

package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// BrokerOpts tells what to do with the broker.
type BrokerOpts struct {
	// Format makes the log dir first; formatting again is harmless.
	Format bool
	// Create makes topics, Produce fills them.
	Create  []Topic
	Produce []Produce
	// Unclean removes the clean-shutdown marker before the start. Segments
	// below the checkpointed recovery point are then still not scanned;
	// NoRecoveryPoint removes that checkpoint as well.
	Unclean         bool
	NoRecoveryPoint bool
	// Properties are added to the broker's configuration.
	Properties map[string]string
	// Topics limits what is read back; all topics if empty.
	Topics []string
	// ReadCommitted reads as a consumer with isolation.level=read_committed.
	ReadCommitted bool
	// Timeout for all of it; 90 s if 0.
	Timeout time.Duration
}

func (o *BrokerOpts) deadline() time.Time {
	return time.Now().Add(cmp.Or(o.Timeout, 90*time.Second))
}

// Topic is a topic to create.
type Topic struct {
	Name       string
	Partitions int
	Config     map[string]string
}

// Produce is a number of small records for partition 0 of a topic, with keys
// k0, k1..., values "value 0"..., and timestamps from 1,700,000,000,000 on.
type Produce struct {
	Topic string
	Count int
	// Codec is none, gzip, snappy, lz4 or zstd.
	Codec string
}

// BrokerReport tells how a broker fared on a log dir.
type BrokerReport struct {
	// OK means that the broker came up and was asked for everything; what it
	// served is in Partitions.
	OK      bool
	Failure *Error
	// AliveAtEnd tells that the broker still ran when it was told to stop;
	// Exit is 143 after an orderly stop.
	AliveAtEnd    bool
	Exit          int
	CleanShutdown bool
	Partitions    map[string]Served
	// Warnings are the lines the broker logged at WARN or above, each with the
	// exception line that followed it; the log dir appears as <root>.
	Warnings []string
}

// Served is a partition as a consumer sees it from the beginning.
type Served struct {
	BeginningOffset int64  `json:"beginningOffset"`
	EndOffset       int64  `json:"endOffset"`
	ReachedEnd      bool   `json:"reachedEnd"`
	Position        int64  `json:"position"`
	Records         int64  `json:"records"`
	FirstOffset     *int64 `json:"firstOffset"`
	LastOffset      *int64 `json:"lastOffset"`
	// Digest is the SHA-256 over every record's offset and timestamp (8 bytes
	// each, big-endian) and its key and value (4 bytes of length, -1 for null,
	// then the bytes).
	Digest string `json:"digest"`
	Error  *Error `json:"error"`
}

// BrokerCheck starts a single-node broker (KRaft, loopback ports) on the log
// dir root, reads partitions from the beginning to the end, and stops it. The
// broker works in root itself: give it a copy.
func (c *Client) BrokerCheck(root string, opts BrokerOpts) *BrokerReport {
	c.tb.Helper()
	r, err := c.brokerCheck(root, opts)
	if err != nil {
		c.tb.Fatalf("kafka broker on %s: %v", root, err)
	}
	return r
}

func (c *Client) brokerCheck(root string, opts BrokerOpts) (*BrokerReport, error) {
	deadline := opts.deadline()
	b, err := c.startBroker(root, opts)
	if err != nil {
		return nil, err
	}
	defer b.remove()
	r := new(BrokerReport)
	if err := c.consume(r, b, opts, deadline); err != nil {
		return nil, err
	}
	r.AliveAtEnd = b.running()
	// Recovering much data is slow, an orderly stop isn't.
	if r.Exit, err = b.stop(30 * time.Second); err != nil {
		return nil, err
	}
	_, err = os.Stat(filepath.Join(b.root, ".kafka_cleanshutdown"))
	r.CleanShutdown = err == nil
	r.Warnings, err = warnings(b.log, b.root)
	return r, err
}

// consume lets the harness play the client.
func (c *Client) consume(r *BrokerReport, b *broker, opts BrokerOpts, deadline time.Time) error {
	left := time.Until(deadline)
	fields := map[string]any{
		"bootstrap": b.address,
		"watchPid":  b.cmd.Process.Pid,
		"timeoutMs": left.Milliseconds(),
	}
	if opts.ReadCommitted {
		fields["isolation"] = "read_committed"
	}
	if len(opts.Topics) > 0 {
		fields["topics"] = opts.Topics
	}
	var create, produce []string
	for _, t := range opts.Create {
		spec := t.Name + ":" + strconv.Itoa(t.Partitions)
		for _, k := range slices.Sorted(maps.Keys(t.Config)) {
			spec += ":" + k + "=" + t.Config[k]
		}
		create = append(create, spec)
	}
	for _, p := range opts.Produce {
		produce = append(produce, fmt.Sprintf("%s:%d:%s", p.Topic, p.Count, p.Codec))
	}
	fields["create"], fields["produce"] = create, produce
	var result struct {
		Partitions map[string]Served `json:"partitions"`
	}
	patient := *c
	patient.Timeout = left + 30*time.Second // the harness minds the deadline itself
	err := patient.Ask("consume", fields, nil, &result)
	if errors.As(err, &r.Failure) {
		return nil
	}
	r.OK, r.Partitions = err == nil, result.Partitions
	return err
}

func (c *Client) format(root, properties string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	h := c.server.harness
	out, err := exec.Command(h.java, h.jvmArgs("kafka.tools.StorageTool", "format", "--ignore-formatted",
		"-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", properties)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("format: %w\n%s", err, tail(out, 4000))
	}
	return nil
}

func removeIfThere(dir, name string) error {
	err := os.Remove(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// warnings reads the broker's log.
func warnings(log, root string) ([]string, error) {
	b, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	var out []string
	wanted := false
	for line := range strings.Lines(string(b)) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), root, "<root>")
		level, _, _ := strings.Cut(line, " ")
		switch {
		case level == "WARN" || level == "ERROR" || level == "FATAL":
			wanted = true
			out = append(out, line)
		case level == "INFO" || level == "DEBUG":
			wanted = false
		case wanted && !strings.HasPrefix(line, "\t"):
			out = append(out, line)
			wanted = false
		}
	}
	return out, nil
}
