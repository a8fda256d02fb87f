// Package place puts new files into a directory that the user named, and
// nowhere else. Besides package rebuild it is the only one that writes.
//
// What it promises:
//
//   - Nothing that was there before is changed, replaced or removed. The
//     directory must be new or empty; only where an earlier run is resumed may
//     it hold what such a run left.
//   - Nothing is written outside of the directory: all work goes through an
//     os.Root, which no symbolic link and no ".." leaves.
//   - The directory is refused where it would do harm: inside a log directory,
//     whether a broker runs on it or not (a strange directory in it keeps a
//     broker from starting), and inside, around or equal to a source.
//   - A name appears when what it names is complete: files are written under
//     a temporary name, synced, and renamed; a set of files is written into
//     NAME.partial, which is renamed as a whole. Directories are synced behind
//     each rename. After a crash there is the old state or the new one, and a
//     NAME.partial that says that it is neither.
package place
