package page

import (
	"cmp"
	"io"
	"slices"
)

// State is how it stands with a part, in rising order of trouble.
type State uint8

// The states.
const (
	Sound State = iota
	Noted       // something legal is worth knowing
	Warned
	Unknown // a part could not be checked
	Damaged // damaged, or something will be lost
)

// String is the state as a class of the page's style.
func (s State) String() string {
	return [...]string{"sound", "noted", "warned", "unknown", "damaged"}[s]
}

// Incident is a report on partitions, with the verdict first. Memory is bounded
// whatever it is told: of the worst partitions and findings it keeps as many as
// people read, and counts the others.
type Incident struct {
	Title   string
	Path    string   // what was looked at
	State   State    // of all
	Verdict string   // in one line
	Facts   []string // the totals
	Next    string   // the command that helps most
	// Legend says what the colours of the bars mean here.
	Legend Legend

	parts  [Damaged + 1][]Part
	counts [Damaged + 1]int
	notes  int
}

// Legend names the kinds of ranges; one without a name is not shown.
type Legend struct{ Sound, Damaged, Cut, Lost string }

// Part is a partition, or another path that was looked at.
type Part struct {
	Name    string
	State   State
	Verdict string
	Facts   []string
	Logs    []Log
	Notes   []Note
	More    int // notes that were left out before
}

// Note is a finding, or something that a broker will do: where it is, what
// follows, and what to do next.
type Note struct {
	State                          State
	Word                           string // of the severity, or what is done
	Code, Title                    string
	File, Place, Text, Consequence string
	Do, Command                    string
}

const (
	maxParts     = 300  // with trouble, of each state
	maxQuiet     = 500  // without
	maxPartNotes = 60   // of a part
	maxNotes     = 2000 // of all parts
)

// Add adds a part. The incident takes it over.
func (i *Incident) Add(p Part) {
	i.counts[p.State]++
	limit := maxParts
	if p.State <= Noted {
		limit = maxQuiet
	}
	if len(i.parts[p.State]) >= limit {
		return
	}
	slices.SortStableFunc(p.Notes, func(a, b Note) int { return cmp.Compare(b.State, a.State) })
	if keep := min(maxPartNotes, max(maxNotes-i.notes, 1)); len(p.Notes) > keep {
		p.More += len(p.Notes) - keep
		p.Notes = slices.Clone(p.Notes[:keep])
	}
	i.notes += len(p.Notes)
	i.parts[p.State] = append(i.parts[p.State], p)
}

// incidentPage is what the template shows.
type incidentPage struct {
	*Incident
	Loud, Quiet []partView
	LeftOut     int // parts with trouble that are not shown
	QuietMore   int
	Parts       int
}

type partView struct {
	Part
	ID  int
	Bar bar
}

var incidentDocument = newDocument("incident", "incident.js")

// Write writes the page.
func (i *Incident) Write(w io.Writer, version string) error {
	p := incidentPage{Incident: i}
	for state := Damaged; ; state-- {
		p.Parts += i.counts[state]
		left := i.counts[state] - len(i.parts[state])
		for _, part := range i.parts[state] {
			view := partView{part, len(p.Loud) + len(p.Quiet), newBar(part.Logs)}
			if state > Noted || len(part.Notes) > 0 {
				p.Loud = append(p.Loud, view)
			} else {
				p.Quiet = append(p.Quiet, view)
			}
		}
		if state > Noted {
			p.LeftOut += left
		} else {
			p.QuietMore += left
		}
		if state == Sound {
			break
		}
	}
	return incidentDocument.write(w, version, p)
}
