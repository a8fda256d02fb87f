package message_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/message/messagetest"
)

// Messages that franz-go knows too, read by both.
func TestFranzReadsTheSame(t *testing.T) {
	g := messagetest.Generator{Rand: rand.New(rand.NewPCG(3, 3))}
	key := func(b []byte) []byte { return append([]byte{0, 1}, b...) }
	for range 200 {
		var offset kmsg.OffsetCommitKey
		m := readBoth(t, g, "OffsetCommitKey", 0, func(b []byte) error { return offset.ReadFrom(key(b)) })
		same(t, &m.Value, map[string]any{"group": offset.Group, "topic": offset.Topic, "partition": offset.Partition})
		for version := range int16(4) {
			var v kmsg.OffsetCommitValue
			m := readBoth(t, g, "OffsetCommitValue", version, versioned(version, v.ReadFrom))
			same(t, &m.Value, map[string]any{"offset": v.Offset, "metadata": v.Metadata, "commitTimestamp": v.CommitTimestamp})
		}
		for version := range int16(2) {
			var v kmsg.TxnMetadataValue
			m := readBoth(t, g, "TransactionLogValue", version, versioned(version, v.ReadFrom))
			same(t, &m.Value, map[string]any{
				"producerId": v.ProducerID, "producerEpoch": v.ProducerEpoch, "transactionTimeoutMs": v.TimeoutMillis,
				"transactionStatus":                int8(v.State),
				"transactionLastUpdateTimestampMs": v.LastUpdateTimestamp, "transactionStartTimestampMs": v.StartTimestamp,
			})
		}
		for version := range int16(4) {
			var v kmsg.GroupMetadataValue
			m := readBoth(t, g, "GroupMetadataValue", version, versioned(version, v.ReadFrom))
			same(t, &m.Value, map[string]any{"protocolType": v.ProtocolType, "generation": v.Generation})
			if got := m.Get("members").Items; len(got) != len(v.Members) {
				t.Fatalf("%d members, franz-go has %d", len(got), len(v.Members))
			}
			for i := range v.Members {
				same(t, &m.Get("members").Items[i], map[string]any{
					"memberId": v.Members[i].MemberID, "clientId": v.Members[i].ClientID, "clientHost": v.Members[i].ClientHost,
					"sessionTimeout": v.Members[i].SessionTimeoutMillis,
				})
			}
		}
	}
}

func versioned(version int16, read func([]byte) error) func([]byte) error {
	return func(b []byte) error { return read(append([]byte{0, byte(version)}, b...)) }
}

func readBoth(t *testing.T, g messagetest.Generator, name string, version int16, other func([]byte) error) message.Message {
	t.Helper()
	b := g.Message(nil, schemaNamed(t, name), version)
	m, _, err := schemaNamed(t, name).Read(b, version)
	if err != nil {
		t.Fatalf("%s version %d: %v", name, version, err)
	}
	if err := other(b); err != nil {
		t.Fatalf("%s version %d: franz-go: %v", name, version, err)
	}
	return m
}

func same(t *testing.T, v *message.Value, want map[string]any) {
	t.Helper()
	for name, w := range want {
		field := v.Get(name)
		switch w := w.(type) {
		case string:
			if string(field.Bytes) != w {
				t.Errorf("%s is %q, franz-go has %q", name, field.Bytes, w)
			}
		default:
			if n := reflect.ValueOf(w).Int(); field.Int != n {
				t.Errorf("%s is %d, franz-go has %d", name, field.Int, n)
			}
		}
	}
}
