package message_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kafsck/kafsck/internal/message/messagetest"
)

func BenchmarkRead(b *testing.B) {
	g := messagetest.Generator{Rand: rand.New(rand.NewPCG(1, 1))}
	for _, name := range []string{"OffsetCommitValue", "PartitionRecord", "RegisterBrokerRecord", "GroupMetadataValue"} {
		b.Run(name, func(b *testing.B) {
			s := schemaNamed(b, name)
			v := int16(s.Valid.End - 1)
			data := g.Message(nil, s, v)
			var dst []byte
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				m, _, err := s.Read(data, v)
				if err != nil {
					b.Fatal(err)
				}
				dst = m.AppendJSON(dst[:0])
			}
		})
	}
}
