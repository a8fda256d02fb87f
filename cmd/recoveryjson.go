package cmd

import (
	"strings"

	"github.com/kafsck/kafsck/internal/loader"
)

type lostJSON struct {
	Batches        int64  `json:"batches"`
	Records        int64  `json:"records"`
	Bytes          int64  `json:"bytes"`
	FirstOffset    *int64 `json:"firstOffset"`
	LastOffset     *int64 `json:"lastOffset"`
	FirstTimestamp *int64 `json:"firstTimestamp"`
	LastTimestamp  *int64 `json:"lastTimestamp"`
}

func lostObject(x *loader.Loss) lostJSON {
	return lostJSON{
		Batches: x.Batches, Records: x.Records, Bytes: x.Bytes,
		FirstOffset: known(x.FirstOffset), LastOffset: known(x.LastOffset),
		FirstTimestamp: known(x.FirstTime), LastTimestamp: known(x.LastTime),
	}
}

// known is null for −1.
func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

type recoveryDecisionJSON struct {
	Type       string   `json:"type"`
	File       string   `json:"file"`
	BaseOffset *int64   `json:"baseOffset"`
	Action     string   `json:"action"`
	SizeBefore int64    `json:"sizeBefore"`
	SizeAfter  int64    `json:"sizeAfter"`
	Position   *int64   `json:"position"`
	Reason     string   `json:"reason"`
	Message    string   `json:"message"`
	Lost       lostJSON `json:"lost"`
}

func decisionObject(d *loader.Decision) recoveryDecisionJSON {
	return recoveryDecisionJSON{
		Type: "recovery-decision", File: d.File, BaseOffset: known(d.BaseOffset), Action: string(d.Action),
		SizeBefore: d.SizeBefore, SizeAfter: d.SizeAfter, Position: known(d.Position), Reason: d.Reason, Message: d.Text, Lost: lostObject(&d.Lost),
	}
}

type recoverySegmentJSON struct {
	BaseOffset int64 `json:"baseOffset"`
	Size       int64 `json:"size"`
}

type failureJSON struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

type intactJSON struct {
	Batches int64 `json:"batches"`
	Records int64 `json:"records"`
}

type recoverySummaryJSON struct {
	Type               string                `json:"type"`
	Path               string                `json:"path"`
	Partition          string                `json:"partition"`
	Loads              bool                  `json:"loads"`
	Failure            *failureJSON          `json:"failure"`
	LogDirOffline      bool                  `json:"logDirOffline"`
	Clean              bool                  `json:"clean"`
	LogStartOffset     *int64                `json:"logStartOffset"`
	LogEndOffset       *int64                `json:"logEndOffset"`
	RecoveryPoint      *int64                `json:"recoveryPoint"`
	Segments           []recoverySegmentJSON `json:"segments"`
	Lost               lostJSON              `json:"lost"`
	IntactBehindDamage intactJSON            `json:"intactBehindDamage"`
	BehindLogEnd       lostJSON              `json:"behindLogEnd"`
	Exit               int                   `json:"exit"`
}

func summaryObject(p *loader.Plan) recoverySummaryJSON {
	s := recoverySummaryJSON{
		Type: "recovery-summary", Path: p.Path, Partition: recoveryName(p), Loads: p.Loads, LogDirOffline: p.Failed(), Clean: p.Options.Clean,
		Segments: []recoverySegmentJSON{}, Lost: lostObject(&p.Lost),
		IntactBehindDamage: intactJSON{p.Lost.IntactBatches, p.Lost.IntactRecords},
		BehindLogEnd:       lostObject(&p.Behind),
		Exit:               recoveryExit(p),
	}
	if p.Loads {
		s.LogStartOffset, s.LogEndOffset, s.RecoveryPoint = &p.LogStart, &p.LogEnd, &p.RecoveryPoint
	} else {
		s.Failure = &failureJSON{simpleClass(p.Failure.Class), p.Failure.Message}
	}
	for _, g := range p.Segments {
		s.Segments = append(s.Segments, recoverySegmentJSON{g.BaseOffset, g.Size})
	}
	return s
}

// recoveryExit is what one partition makes the exit code.
func recoveryExit(p *loader.Plan) int {
	if !p.Loads || p.Lost.Any() || p.Behind.Any() {
		return exitDamage
	}
	return exitOK
}

// simpleClass is the name of a class without its package.
func simpleClass(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

type recoveryStartJSON struct {
	Type                string       `json:"type"`
	Path                string       `json:"path"`
	CleanShutdownMarker bool         `json:"cleanShutdownMarker"`
	Clean               bool         `json:"clean"`
	Partitions          int          `json:"partitions"`
	RecoveryPoints      string       `json:"recoveryPoints"`
	LogStarts           string       `json:"logStarts"`
	Failure             *failureJSON `json:"failure"`
}

func startObject(s *loader.Start) recoveryStartJSON {
	o := recoveryStartJSON{
		Type: "recovery-log-dir", Path: s.Path, CleanShutdownMarker: s.Marker, Clean: s.Clean, Partitions: s.Partitions,
		RecoveryPoints: checkpointState(s.RecoveryPointsFault), LogStarts: checkpointState(s.LogStartsFault),
	}
	if s.Failure != nil {
		o.Failure = &failureJSON{simpleClass(s.Failure.Class), s.Failure.Message}
	}
	return o
}

func checkpointState(fault error) string {
	if fault != nil {
		return "malformed"
	}
	return "used"
}
