// Package oracle asks the real Apache Kafka what it makes of files on disk.
//
// Everything in it is behind the build tag kafka and is used by tests alone:
//
//	k := oracle.Open(t)
//	seg := k.Records(path, oracle.RecordsOpts{})
//
// Open builds a small Java harness around Kafka's own classes (folder java)
// with Maven on first use, keeps it in the user's cache folder and starts one
// JVM for the whole test binary. Every method either returns Kafka's answer or
// ends the test; none of them skips, and none changes the files it is asked
// about. docs/testing.md says how to run such tests.
package oracle
