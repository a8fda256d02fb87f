// Package bundle makes a support bundle of a broker's files: what somebody needs
// to see what is wrong with them, and nothing of what the records hold.
//
// What is in it is decided by lists of what may be, not of what must not be:
//
//   - Of batches the fields of their headers, as numbers. Of records, where that
//     is wanted, lengths and SHA-256 of keys, values, header keys and values.
//   - Small files are decoded, and written anew from what was understood. One
//     that can't be decoded may hold anything, as after a file system repair: it
//     is left out, and so is what a message would quote from it.
//   - Indexes and producer snapshots are copied if all that is in them looks like
//     entries of theirs.
//   - Paths begin at what was asked for; names of topics can be replaced.
//
// A manifest, the first member of the archive, says what each member is and what
// was left out. The same files give the same archive, whoever makes it.
//
// Memory is bounded: members go to a compressed spool file beside the archive
// first, since the manifest in front has to know them.
package bundle
