// Package layers holds the tests of the architecture: which package may
// import which, and who may write, exit, or start something.
//
//	main → cmd → rebuild → sanity → recordbatch → codecs
//	                              → indexfile
//
// The tests look at the packages that are linked into kafsck; test helpers
// and generators are free.
package layers
