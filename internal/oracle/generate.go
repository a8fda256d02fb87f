//go:build kafka

package oracle

import (
	"fmt"
	"path/filepath"
)

// Profiles are what Generate knows; mixed draws everything from the seed, each
// other one sees to what it is named after.
var Profiles = []string{
	"mixed", "v0", "v1", "v2", "magics", "codecs", "transactions", "compacted",
	"kraft", "huge", "tiny", "timestamps", "headers", "offsets",
}

// GenerateOpts tells what to generate.
type GenerateOpts struct {
	// Profile is one of Profiles; mixed if empty.
	Profile string `json:"profile,omitempty"`
	// Batches is the number of steps, most of them one batch; 0 leaves it to
	// the seed.
	Batches int `json:"batches,omitempty"`
}

// Generated is a partition that Kafka's own builder wrote.
type Generated struct {
	Logged
	// Dir is where it is.
	Dir         string             `json:"-"`
	StartOffset int64              `json:"startOffset"`
	EndOffset   int64              `json:"endOffset"`
	Segments    []GeneratedSegment `json:"segments"`
	// Features names what occurs in it.
	Features []string `json:"features"`
}

// GeneratedSegment is one log file.
type GeneratedSegment struct {
	Base    int64 `json:"base"`
	Size    int64 `json:"size"`
	Records int   `json:"records"`
}

// Generate writes log files into dir, which is absent or empty: wild, but all
// of it legal. Equal seeds and options give equal bytes on the same Kafka
// release.
func (c *Client) Generate(dir string, seed int64, opts GenerateOpts) *Generated {
	c.tb.Helper()
	g := &Generated{Dir: dir}
	c.must("generate", map[string]any{"seed": seed, "outDir": dir}, opts, g)
	return g
}

// SegmentFile is the path of a segment's file; suffix is .log, .index and so
// on.
func SegmentFile(dir string, base int64, suffix string) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", base, suffix))
}
