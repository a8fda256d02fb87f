// Package triage decides what a check does with its findings: which are shown
// and counted (--only, --ignore), which make it fail (--fail-on), and which are
// known from an earlier run and don't (--baseline).
//
// What could not be checked is never passed over: no choice and no baseline
// makes a run clean that has such findings.
package triage
