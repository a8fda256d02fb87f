//go:build kafka

package oracle

import (
	"encoding/json"
	"maps"
	"sync"
	"testing"
	"time"
)

// DefaultTimeout is how long one request may take; a slower one fails its test
// and costs a new JVM.
const DefaultTimeout = 60 * time.Second

// Client asks Kafka on behalf of one test. Its methods end that test when the
// question itself cannot be answered; what Kafka says of damage is part of the
// results. Clients of parallel tests share the JVM and take turns.
type Client struct {
	tb     testing.TB
	server *server
	// Timeout of each request.
	Timeout time.Duration
}

var shared = sync.OnceValues(func() (*server, error) {
	h, err := build(KafkaVersion())
	return &server{harness: h}, err
})

// Open gives the test its client. The first call in a test binary builds the
// harness if need be; without Java or Maven the test fails.
func Open(tb testing.TB) *Client {
	tb.Helper()
	s, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return &Client{tb: tb, server: s, Timeout: DefaultTimeout}
}

// Version is what Kafka says its version is.
func (c *Client) Version() string {
	c.tb.Helper()
	var v string
	c.must("version", nil, nil, &v)
	return v
}

// LogOpts are common to the requests that open a log. The zero value means
// Kafka's defaults.
type LogOpts struct {
	// Config holds topic settings by their names.
	Config map[string]string `json:"config,omitempty"`
	// IndexInterval is index.interval.bytes; nil means the default of 4096.
	IndexInterval *int `json:"indexInterval,omitempty"`
	// MaxIndexSize is segment.index.bytes.
	MaxIndexSize int `json:"maxIndexSize,omitempty"`
	// NowMs is the clock that decides which producers have expired; 0 means
	// the time of day.
	NowMs int64 `json:"nowMs,omitempty"`
	// ProducerIDExpirationMs is producer.id.expiration.ms.
	ProducerIDExpirationMs int64 `json:"producerIdExpirationMs,omitempty"`
	// OutDir, absent or empty, keeps the resulting <topic>-<n> folder.
	OutDir string `json:"outDir,omitempty"`
	// MaxEntries caps the index entries in an answer (200,000 if 0).
	MaxEntries int `json:"maxEntries,omitempty"`
}

// Bytes is for LogOpts.IndexInterval.
func Bytes(n int) *int { return &n }

// Logged is what Kafka logged during a request, one line each: level, class,
// text.
type Logged struct {
	Log []string `json:"-"`
}

func (l *Logged) setLog(lines []string) { l.Log = lines }

// Ask sends any request: the fields of opts (nil, or something that becomes a
// JSON object) and of fields, for a result decoded into result. The error is
// an *Error where Kafka refused. Most tests want the typed methods instead.
func (c *Client) Ask(cmd string, fields map[string]any, opts, result any) error {
	req := map[string]any{}
	if opts != nil {
		b, err := json.Marshal(opts)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(b, &req); err != nil {
			return err
		}
	}
	maps.Copy(req, fields)
	req["cmd"] = cmd
	resp, err := c.server.ask(req, c.Timeout)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(resp.Result, result); err != nil {
		return err
	}
	if l, ok := result.(interface{ setLog([]string) }); ok {
		l.setLog(resp.Log)
	}
	return nil
}

func (c *Client) must(cmd string, fields map[string]any, opts, result any) {
	c.tb.Helper()
	if err := c.Ask(cmd, fields, opts, result); err != nil {
		c.tb.Fatalf("kafka %s %v: %v", cmd, fields, err)
	}
}
