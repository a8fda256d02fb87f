package cmd

import (
	"errors"
	"fmt"

	"github.com/kafsck/kafsck/internal/indexview"
	"github.com/kafsck/kafsck/internal/logdir"
)

// indexFiles are the indexes that a path stands for, in order. With an error
// they are those found all the same.
func indexFiles(path string, filter *logdir.Filter) ([]string, error) {
	target, err := logdir.Open(path)
	if err != nil {
		return nil, err
	}
	switch {
	case target.File != nil && target.File.File.Kind == logdir.KindLog:
		files := siblingIndexes(path)
		if len(files) == 0 {
			err = fmt.Errorf("%s: no index beside it", path)
		}
		return files, err
	case target.File != nil:
		return []string{path}, nil
	case target.Partition != nil:
		files, err := partitionIndexes(target.Partition, filter)
		if len(files) == 0 {
			err = errors.Join(err, fmt.Errorf("%s: no index in it", path))
		}
		return files, err
	}
	var files []string
	var errs []error
	for _, ref := range filter.Select(target.Dir.Partitions) {
		partition, err := ref.Open()
		errs = append(errs, err)
		if partition != nil {
			more, err := partitionIndexes(partition, filter)
			files, errs = append(files, more...), append(errs, err)
		}
	}
	return files, errors.Join(errs...)
}

func partitionIndexes(p *logdir.Partition, filter *logdir.Filter) (files []string, _ error) {
	chosen := filter.Chosen(p)
	for _, e := range p.Files() {
		if _, ok := indexview.KindOf(e.File.Kind); ok && e.File.Suffix == logdir.NoSuffix && chosen(e) {
			files = append(files, e.Path)
		}
	}
	return files, p.Unread()
}

// siblingIndexes are the indexes beside a .log.
func siblingIndexes(log string) (files []string) {
	for _, kind := range []logdir.Kind{logdir.KindOffsetIndex, logdir.KindTimeIndex, logdir.KindTxnIndex} {
		if name := logdir.SiblingPath(log, kind); name != "" {
			if target, err := logdir.Open(name); err == nil && target.File != nil {
				files = append(files, name)
			}
		}
	}
	return files
}

// orGone is the error of opening a file that a path stands for: one of a listing
// may have gone since, but not the one that was named.
func orGone(file, path string, err error) error {
	if file == path {
		return err
	}
	return logdir.Listed(file, err)
}
