// Package rebuild writes index files: those that a broker would rebuild from
// the .log of a segment (package internal/recovery has the rule), offline and
// so that nothing can be lost.
//
// # Promises
//
//   - A .log is opened for reading only.
//   - NAME is the old file or the whole new one, at every moment and after
//     every crash; it is never absent where it was there before.
//   - The old file stays beside the new one as NAME.bak-<UTC time>. A file
//     that is right already is left alone.
//   - What was written is read back from the file and checked before it gets
//     its name.
//   - Nothing is written where a broker holds the .lock of the log directory,
//     where another run of this package is at work, where the .log or the old
//     index changes meanwhile, where a symbolic link leads elsewhere, and,
//     unless asked for, where the log is damaged; and nothing elsewhere within a
//     log directory, where a strange directory keeps a broker from starting.
//   - A failed run removes what it made. One that was killed leaves at most
//     files named NAME.kafsck-<random>.new, which the next run removes, and a
//     second name of an old file.
//
// # Steps
//
// For the files of one segment together:
//
//	write each to a temporary file in the same directory; mode and owner as
//	the old one's (else the log's); fsync; read back and check
//	check that log and old files are what they were
//	link the old files to their backup names; fsync the directory
//	rename the new files over the old; fsync the directory
//
// All of it goes through the FS interface, so that tests can fail or crash at
// every single operation.
package rebuild
