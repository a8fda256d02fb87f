// Command bench writes a large partition for measuring: Kafka's format, made of
// a few batches over and over with rising offsets and timestamps, and the
// indexes that a recovery would leave beside it.
//
//	go run ./internal/bench -size 1000000000 -batch 16384 -codec none DIR
//
// With -partitions N it is a log dir of N such partitions, which share one
// content by hard links: twenty times the bytes to read, on the disk of one.
//
// See docs/performance.md.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

var codecs = map[string]batchtest.Codec{
	"none": batchtest.None, "gzip": batchtest.Gzip, "snappy": batchtest.Snappy,
	"lz4": batchtest.Lz4, "zstd": batchtest.Zstd,
}

func main() {
	log.SetFlags(0)
	size := flag.Int64("size", 1_000_000_000, "bytes of the log")
	batch := flag.Int("batch", 16<<10, "bytes of a batch before compression")
	name := flag.String("codec", "none", "none, gzip, snappy, lz4 or zstd")
	partitions := flag.Int("partitions", 1, "partitions with the same content")
	flag.Parse()
	codec, ok := codecs[*name]
	if !ok || flag.NArg() != 1 {
		log.Fatal("usage: bench [-size N] [-batch N] [-codec NAME] [-partitions N] DIR")
	}
	if err := write(flag.Arg(0), batchtest.Uniform(*size, *batch, codec)); err != nil {
		log.Fatal(err)
	}
	for n := 1; n < *partitions; n++ {
		if err := link(partition(flag.Arg(0), 0), partition(flag.Arg(0), n)); err != nil {
			log.Fatal(err)
		}
	}
}

func partition(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("bench-%d", n)) }

// link makes a directory with the same files.
func link(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Link(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// write puts a partition bench-0 into dir.
func write(dir string, repeat *batchtest.Repeat) (err error) {
	dir = partition(dir, 0)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	offsets, times := repeat.RebuiltIndexes(4096)
	for suffix, data := range map[string][]byte{
		".index":     batchtest.AppendIndex(nil, 0, offsets...),
		".timeindex": batchtest.AppendTimeIndex(nil, 0, times...),
	} {
		if err := os.WriteFile(filepath.Join(dir, batchtest.FileName(0, suffix)), data, 0o600); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(dir, batchtest.FileName(0, ".log")))
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	_, err = repeat.WriteTo(f)
	return err
}
