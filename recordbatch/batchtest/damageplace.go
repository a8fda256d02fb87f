package batchtest

// zeroDamages are blocks that the file system never wrote.
func zeroDamages() []Damage {
	zeroed := func(name string, from, to func(l *Layout) int64, codes ...string) Damage {
		return logDamage(name, codes, func(_ []byte, l *Layout) edit {
			a, b := from(l), to(l)
			return edit{position: a, removed: b - a, inserted: make([]byte, b-a)}
		})
	}
	start := func(*Layout) int64 { return 0 }
	end := func(l *Layout) int64 { return l.Size }
	into := func(n int, part float64) func(*Layout) int64 {
		return func(l *Layout) int64 {
			_, b := Data(n).in(l)
			return b.Position + int64(part*float64(b.Size))
		}
	}
	return []Damage{
		named("preallocated file", ZeroTail(4096)),
		named("zero tail too short for a header", ZeroTail(17)),
		named("zero tail as long as a header", ZeroTail(18)),
		named("one batch zeroed", ZeroBatches(third, 1)),
		named("three batches zeroed", ZeroBatches(third, 3)),
		zeroed("zeros from a batch to the end", into(3, 0), end, "log-zero-tail"),
		zeroed("zeros from the middle of a batch to the end", into(3, 0.5), end, "batch-crc-mismatch", "log-zero-tail", "log-torn-tail"),
		zeroed("zeros across a batch boundary", into(3, 0.7), into(4, 0.3), "batch-crc-mismatch", "batch-bad-size", "log-zero-hole"),
		zeroed("zeros in front", start, into(2, 0), "log-zero-hole"),
		zeroed("all zeros", start, end, "log-zero-tail"),
	}
}

// tornDamages are writes that did not get to their end.
func tornDamages() []Damage {
	torn := []string{"log-torn-tail"}
	last := Nth(-1)
	return []Damage{
		cutAt("last byte missing", last, func(n int) int { return n - 1 }, torn...),
		cutAt("torn in the payload", last, half, torn...),
		cutAt("torn behind the header", last, func(int) int { return PosRecords }, torn...),
		cutAt("torn in the header", last, func(int) int { return 40 }, torn...),
		cutAt("torn before the magic", last, func(int) int { return 16 }, torn...),
		cutAt("torn in the base offset", last, func(int) int { return 3 }, torn...),
		cutAt("log shorter than its indexes", third, half, torn...),
		named("cut between batches", cutAt("", third, func(int) int { return 0 })),
		named("empty", cutAt("", Nth(0), func(int) int { return 0 })),
	}
}

// foreignDamages are bytes that came from elsewhere or went missing.
func foreignDamages() []Damage {
	garbage := []string{"log-garbage", "batch-bad-size", "batch-bad-magic"}
	hit := []string{"batch-crc-mismatch", "batch-bad-size", "batch-bad-magic", "log-garbage"}
	lose := func(name string, part float64, n int64) Damage {
		return logDamage(name, hit, func(_ []byte, l *Layout) edit {
			_, b := third.in(l)
			return edit{position: b.Position + int64(part*float64(b.Size)), removed: n}
		})
	}
	return []Damage{
		insertAt("garbage between batches", third, 0, Noise(1, 37), garbage...),
		insertAt("garbage in front", Nth(0), 0, Noise(2, 200), garbage...),
		appended("garbage behind", Noise(3, 500), "log-garbage", "batch-bad-size", "batch-bad-magic", "log-torn-tail"),
		insertAt("a log line written into the log", third, 0, []byte("2026-01-01 00:00:00,000 INFO started (kafka.Server)\n"), garbage...),
		insertAt("one byte between batches", third, 0, []byte{0x2a}, hit...),
		insertAt("a zero byte between batches", third, 0, []byte{0}, append(hit, "log-zero-hole")...),
		insertAt("one byte in a batch", third, 0.6, []byte{0x2a}, hit...),
		insertAt("a page in a batch", third, 0.6, Noise(4, 4096), hit...),
		insertAt("1 MB of noise", third, 0, Noise(5, 1<<20), garbage...),
		ReplaceBatch("batch overwritten by noise", third, func(b *Content) Entry { return Raw(Noise(6, b.Size)) }, garbage...),
		lose("one byte lost in a batch", 0.6, 1),
		lose("first byte of a batch lost", 0, 1),
		lose("40 bytes lost in a batch", 0.5, 40),
	}
}

// orderDamages leave every checksum right.
func orderDamages() []Damage {
	return []Damage{
		SwapBatches(third), RepeatBatch(third, false), RepeatBatch(third, true), RemoveBatch(third),
		named("first batch removed", RemoveBatch(Nth(0))),
		logDamage("half of a batch, then the whole", []string{"batch-crc-mismatch", "batch-bad-size", "log-garbage"},
			func(data []byte, l *Layout) edit {
				i, b := third.in(l)
				return edit{position: b.Position, inserted: l.Bytes(data, i)[:b.Size/2]}
			}),
		logDamage("the log twice", []string{"offset-not-increasing"}, func(data []byte, l *Layout) edit {
			var kept []Intact
			for i := range l.Batches {
				kept = append(kept, Intact{i, l.Batches[i].Position + l.Size})
			}
			return edit{position: l.Size, inserted: data, kept: kept, at: l.Size}
		}),
	}
}
