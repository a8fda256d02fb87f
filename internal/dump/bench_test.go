package dump

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/kafsck/kafsck/internal/fixture"
)

func BenchmarkDump(b *testing.B) {
	template := fixture.ReadFile(b, "kafka-4.4.0/closed/codec-none-0/00000000000000000000.log")
	path := filepath.Join(b.TempDir(), "00000000000000000000.log")
	var data []byte
	for len(data) < 32<<20 {
		data = append(data, template...)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		set  func(*Options)
	}{
		{"headers", func(*Options) {}},
		{"deep", func(o *Options) { o.Deep = true }},
		{"data", func(o *Options) { o.Deep, o.PrintData = true, true }},
		{"json", func(o *Options) { o.Format = JSON }},
		{"json-data", func(o *Options) { o.Format, o.Deep, o.PrintData = JSON, true, true }},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := DefaultOptions()
			c.set(&o)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				sink := NewSink(io.Discard, io.Discard, o.Format)
				if _, err := Path(b.Context(), sink, path, &o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
