package readonly

import (
	"math/bits"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A scan of a large log would push out of the page cache what a broker's
// consumers are reading. So blocks that were not cached before are dropped
// behind the reader. Those that were are somebody's: they stay. It takes
// cachestat(2), Linux 6.5; without it nothing is dropped.
const (
	// block is the unit of what is dropped: where a part of it was cached, all
	// of it stays.
	block = 1 << 20
	// stretch is asked about at once.
	stretch = 8 << 20
	// lookAhead is how far before a read the cache is asked about. The kernel
	// reads ahead, and what it brought in can't be told from what was there:
	// twice the window of a fast disk.
	lookAhead = 64 << 20
	// keepBehind is how far behind the reader blocks are kept for a second
	// look, as where damage is judged.
	keepBehind = 16 << 20
	// allowance is what one process may leave in the cache all the same: files
	// of that size are often read more than once in a row.
	allowance = 256 << 20
)

// left is what the process has left in the cache so far.
var left atomic.Int64

// guard remembers which blocks of a file this process brings into the cache.
type guard struct {
	file *os.File
	size int64

	mu    sync.Mutex
	off   bool            // the kernel doesn't tell
	ours  map[int64]uint8 // by stretch: a bit for each block that wasn't cached
	asked int64           // the stretches before are in ours, or not ours
	freed int64           // the stretches before have been dropped
}

func newGuard(f *os.File, size int64) *guard {
	if size < largeRead {
		return nil
	}
	return &guard{file: f, size: size}
}

// before asks what of the file is cached, up to a distance from a read.
func (g *guard) before(position int64, n int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	first := position / stretch
	if g.off || (position+int64(n)+lookAhead/2 <= g.asked*stretch && first >= g.freed) {
		return
	}
	if g.ours == nil {
		g.ours = make(map[int64]uint8)
		_ = g.advise(0, 0, unix.FADV_SEQUENTIAL)
	}
	if first < g.freed || first > g.asked {
		// Somewhere else than the scan so far.
		g.drop(g.asked)
		g.asked, g.freed = first, first
	}
	to := min(position+int64(n)+lookAhead, g.size)
	for ; g.asked*stretch < to; g.asked++ {
		if blocks, ok := g.uncached(g.asked); !ok {
			g.off = true
			return
		} else if blocks != 0 {
			g.ours[g.asked] = blocks
		}
	}
}

// after drops what lies well behind the end of a read.
func (g *guard) after(position int64) {
	if g == nil || position < keepBehind {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop((position - keepBehind) / stretch)
}

// end drops the rest.
func (g *guard) end() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop(g.asked)
	g.off = true
}

// drop takes out of the cache what this process brought in, in the stretches
// before the given one.
func (g *guard) drop(before int64) {
	for ; g.freed < min(before, g.asked); g.freed++ {
		blocks, mine := g.ours[g.freed]
		if !mine {
			continue
		}
		delete(g.ours, g.freed)
		// In one go, because the kernel keeps a large folio that is named in
		// part.
		for blocks != 0 {
			first := bits.TrailingZeros8(blocks)
			n := bits.TrailingZeros8(^(blocks >> first))
			blocks &^= (1<<n - 1) << first
			g.forget(g.freed*stretch+int64(first)*block, int64(n)*block)
		}
	}
}

// forget drops n bytes from the cache, or lets them count as left there.
func (g *guard) forget(position, n int64) {
	n = min(n, g.size-position)
	if left.Add(n) <= allowance {
		return
	}
	left.Add(-n)
	// Pages that somebody has written or mapped meanwhile stay anyway.
	_ = g.advise(position, n, unix.FADV_DONTNEED)
}

// uncached has a bit for each block of a stretch of which nothing is cached.
func (g *guard) uncached(n int64) (blocks uint8, ok bool) {
	cached, ok := g.cached(n*stretch, stretch)
	switch {
	case !ok:
		return 0, false
	case cached == 0:
		return 1<<(stretch/block) - 1, true
	case cached*int64(os.Getpagesize()) >= min(stretch, g.size-n*stretch):
		return 0, true
	}
	for i := range int64(stretch / block) {
		if cached, ok = g.cached(n*stretch+i*block, block); ok && cached == 0 {
			blocks |= 1 << i
		}
	}
	return blocks, ok
}

// cached is the number of pages of a range that are in the cache.
func (g *guard) cached(position, n int64) (pages int64, ok bool) {
	var stat unix.Cachestat_t
	part := unix.CachestatRange{Off: uint64(position), Len: uint64(n)}
	err := g.control(func(fd uintptr) error { return unix.Cachestat(uint(fd), &part, &stat, 0) })
	return int64(stat.Cache), err == nil
}

func (g *guard) advise(position, n int64, advice int) error {
	return g.control(func(fd uintptr) error { return unix.Fadvise(int(fd), position, n, advice) })
}

func (g *guard) control(call func(fd uintptr) error) error {
	conn, err := g.file.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	if err := conn.Control(func(fd uintptr) { result = call(fd) }); err != nil {
		return err
	}
	return result
}
