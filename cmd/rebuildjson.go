package cmd

import (
	"encoding/hex"

	"github.com/kafsck/kafsck/rebuild"
)

// rebuiltJSON is one index of a plan.
type rebuiltJSON struct {
	Type      string      `json:"type"`
	File      string      `json:"file"`
	Kind      string      `json:"kind"`
	Rule      string      `json:"rule"`
	Interval  int64       `json:"interval"`
	Version   string      `json:"kafkaVersion"`
	Entries   int         `json:"entries"`
	Bytes     int64       `json:"bytes"`
	SHA256    string      `json:"sha256"`
	Written   *string     `json:"written"`
	Backup    *string     `json:"backup"`
	Before    *beforeJSON `json:"before"`
	Identical bool        `json:"identical"`
	Diff      *diffJSON   `json:"diff"`
	// LogBytes and IndexedBytes differ where the log is damaged.
	Log          string `json:"log"`
	LogBytes     int64  `json:"logBytes"`
	IndexedBytes int64  `json:"indexedBytes"`
}

type beforeJSON struct {
	Entries      int    `json:"entries"`
	Bytes        int64  `json:"bytes"`
	SHA256       string `json:"sha256"`
	Preallocated bool   `json:"preallocated"`
}

// diffJSON compares entries; the first that differs is given as stored, in
// hexadecimal.
type diffJSON struct {
	Added     int     `json:"added"`
	Removed   int     `json:"removed"`
	Changed   int     `json:"changed"`
	FirstSlot *int    `json:"firstSlot"`
	Old       *string `json:"old"`
	New       *string `json:"new"`
}

// refusedJSON is a segment of which not everything could be done.
type refusedJSON struct {
	Type      string         `json:"type"`
	File      string         `json:"file"`
	Reason    string         `json:"reason"`
	Position  *int64         `json:"position"`
	Exception *exceptionJSON `json:"exception"`
}

type exceptionJSON struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

func (r *rebuildRun) rebuiltObject(plan *rebuild.Plan, x *rebuild.Index) rebuiltJSON {
	o := rebuiltJSON{
		Type: "rebuilt", File: x.File, Kind: x.Kind.String(), Rule: ruleName(r.options.Rule), Interval: r.options.Interval,
		Version: r.options.Version.String(), Entries: x.Entries, Bytes: x.Bytes, SHA256: x.SHA256,
		Written: orNull(x.Written), Backup: orNull(x.Backup), Identical: x.Identical,
		Log: plan.Log, LogBytes: plan.LogBytes, IndexedBytes: plan.LogBytes,
	}
	if plan.Damage != nil {
		o.IndexedBytes = plan.Damage.Position
	}
	if b := x.Before; b != nil {
		o.Before = &beforeJSON{Entries: b.Entries, Bytes: b.Bytes, SHA256: b.SHA256, Preallocated: b.Preallocated}
	}
	if d := x.Diff; d != nil {
		o.Diff = &diffJSON{Added: d.Added, Removed: d.Removed, Changed: d.Changed, Old: hexOrNull(d.Old), New: hexOrNull(d.New)}
		if d.Any() {
			o.Diff.FirstSlot = &d.FirstSlot
		}
	}
	return o
}

func refusedObject(plan *rebuild.Plan) refusedJSON {
	o := refusedJSON{Type: "refused", File: plan.Log, Reason: plan.Err.Error()}
	if d := plan.Damage; d != nil {
		o.Position = &d.Position
		if d.Thrown != nil {
			o.Exception = &exceptionJSON{d.Thrown.Class, d.Thrown.Message}
		}
	}
	return o
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func hexOrNull(b []byte) *string {
	if b == nil {
		return nil
	}
	return orNull(hex.EncodeToString(b))
}
