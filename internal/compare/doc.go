// Package compare holds two replicas of a partition against each other, by
// offset: what is the same byte for byte, what holds the same records in other
// batches, what differs, and what one of them has alone.
//
// Both are streamed; memory depends on the size of batches alone. Where the
// batches of both have the same boundaries and bytes, they are not looked into.
// Otherwise the records of as many batches as it takes to come to a common
// boundary are compared one by one.
//
// Intact batches are compared, also those behind damage; damaged ones count as
// missing, and the reason says so.
package compare
