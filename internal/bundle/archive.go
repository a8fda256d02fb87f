package bundle

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"time"

	"github.com/kafsck/kafsck/internal/place"
)

// spool keeps the members until all are known: each a compressed stream of its
// own in one file.
type spool struct {
	file    *place.File
	zip     *gzip.Writer
	members []Member
	err     error // of writing: nothing can be done behind it
}

func newSpool(file *place.File) (*spool, error) {
	zip, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return &spool{file: file, zip: zip}, err
}

// memberWriter writes one member; there is one at a time. The first error stays,
// in the spool.
type memberWriter struct {
	spool  *spool
	member Member
	sum    hash.Hash
}

func (s *spool) begin(name, what string) *memberWriter {
	s.zip.Reset(s.file)
	return &memberWriter{spool: s, sum: sha256.New(), member: Member{Name: name, What: what, at: s.file.Size()}}
}

func (w *memberWriter) Write(p []byte) (int, error) {
	if w.spool.err != nil {
		return 0, w.spool.err
	}
	w.member.Size += int64(len(p))
	_, _ = w.sum.Write(p)
	var n int
	n, w.spool.err = w.spool.zip.Write(p)
	return n, w.spool.err
}

// end completes the member.
func (w *memberWriter) end() error {
	s := w.spool
	if s.err == nil {
		s.err = s.zip.Close()
	}
	if s.err != nil {
		return s.err
	}
	w.member.len = s.file.Size() - w.member.at
	w.member.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	s.members = append(s.members, w.member)
	return nil
}

// assemble writes the archive: the manifest, then the members.
func (s *spool) assemble(ctx context.Context, out io.Writer, manifest []byte) error {
	zip, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zip)
	if err := archive.WriteHeader(header(&Member{Name: manifestName, Size: int64(len(manifest))})); err != nil {
		return err
	}
	if _, err := archive.Write(manifest); err != nil {
		return err
	}
	for i := range s.members {
		m := &s.members[i]
		if err := archive.WriteHeader(header(m)); err != nil {
			return err
		}
		unzip, err := gzip.NewReader(io.NewSectionReader(s.file, m.at, m.len))
		if err != nil {
			return err
		}
		if _, err := io.Copy(archive, contextReader{ctx, unzip}); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zip.Close())
}

// header has nothing of the machine that writes it.
func header(m *Member) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: topDir + m.Name, Size: m.Size, Mode: 0o644, ModTime: time.Unix(m.modTime, 0)}
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
