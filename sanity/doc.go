// Package sanity says what is wrong with the files of a partition or a log
// directory: typed findings with stable codes, each with its place and what a
// broker does about it. Nothing here opens a file for writing.
package sanity
