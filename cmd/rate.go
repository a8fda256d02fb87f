package cmd

import (
	"math"
	"strconv"
	"strings"
)

// units of bytes: those of ten as disks count, and those of two.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

// parseRate reads a rate of bytes a second, as in 100MB/s; "" is no bound, 0.
func parseRate(value string) (int64, error) {
	if value == "" {
		return 0, nil
	}
	number, factor := strings.TrimSuffix(value, "/s"), 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(n > 0) || n*factor < 1 || n*factor > math.MaxInt64/2 {
		return 0, usageErrorf("--rate-limit %q: bytes a second, as in 100MB/s or 64MiB/s", value)
	}
	return int64(n * factor), nil
}

// shellQuote makes s one word of a POSIX shell.
func shellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
