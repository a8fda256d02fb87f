// Package page makes HTML pages that can be passed on: one file each, complete
// in itself, that asks for nothing over a network.
//
// There are two. The page of a segment draws its log and its index, and lets
// its reader look offsets up and move index.interval.bytes; see [Segment]. The
// page of an incident tells how partitions stand and what follows; see
// [Incident].
//
// What comes from files and names is hostile. It gets into a page through
// html/template alone, as text or as JSON, and each page has a content security
// policy that lets run nothing but its own script and style, known by their
// hashes. So whatever a topic or a message is called, it is shown and does
// nothing.
package page
