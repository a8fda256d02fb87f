//go:build deps

// Package deps pins the modules that the packages under construction are
// going to need, so that go.mod stays one.
package deps

import (
	_ "github.com/dustin/go-humanize"
	_ "github.com/golang/snappy"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/olekukonko/tablewriter"
	_ "github.com/pierrec/lz4/v4"
	_ "github.com/schollz/progressbar/v3"
	_ "github.com/twmb/franz-go/pkg/kgo"
	_ "github.com/twmb/franz-go/pkg/kmsg"
	_ "golang.org/x/sys/unix"
)
