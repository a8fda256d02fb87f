// Package logdir knows what the files and directories of a broker are: their
// names, which of them belong together, and what a path given on the command
// line means. It looks at names, sizes and times; it reads no content and
// writes nothing.
//
// Names are parsed as Kafka parses them (LogFileUtils, UnifiedLog, LocalLog,
// Snapshots, RemoteIndexCache): what a broker accepts without having written
// it that way is accepted here too, and marked as not Canonical.
//
// Paths are never made absolute: the path of an entry is the argument joined
// with the names below it, and that is what goes into messages and JSON.
package logdir
