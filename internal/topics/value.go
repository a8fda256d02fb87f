package topics

import (
	"strconv"

	"github.com/kafsck/kafsck/internal/message"
)

// appendValue appends the JSON of a coordinator's value as Kafka's dump tool
// gives it: the message, but for two types that it makes more of.
func (d *Decoded) appendValue(dst []byte) []byte {
	switch {
	case d.Topic == TransactionState:
		return d.appendTransaction(dst)
	case d.Topic == ConsumerOffsets && d.Type == "GROUP_METADATA":
		return d.appendGroup(dst)
	}
	return d.Value.AppendJSON(dst)
}

// TransactionStates are Kafka's names of a transaction's states, by number.
var TransactionStates = [...]string{
	"Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead", "PrepareEpochFence",
}

// appendTransaction names the state.
func (d *Decoded) appendTransaction(dst []byte) []byte {
	return d.Value.AppendJSONFunc(dst, func(dst []byte, f *message.Field, v *message.Value) ([]byte, bool) {
		if f.Name != "transactionStatus" {
			return dst, false
		}
		dst = append(dst, '"')
		if v.Int >= 0 && v.Int < int64(len(TransactionStates)) {
			dst = append(dst, TransactionStates[v.Int]...)
		} else {
			dst = strconv.AppendInt(dst, v.Int, 10)
		}
		return append(dst, '"'), true
	})
}

// appendGroup decodes what a classic group's members sent of themselves, where
// they are consumers: i16 version, then ConsumerProtocolSubscription or
// ConsumerProtocolAssignment. What can't be read stays bytes.
func (d *Decoded) appendGroup(dst []byte) []byte {
	if d.Value.Get("protocolType").Text() != ConsumerProtocol {
		return d.Value.AppendJSON(dst)
	}
	return d.Value.AppendJSONFunc(dst, func(dst []byte, f *message.Field, v *message.Value) ([]byte, bool) {
		var schema *message.Schema
		switch f.Name {
		case "subscription":
			schema = subscription
		case "assignment":
			schema = assignment
		default:
			return dst, false
		}
		m, err := readProtocol(schema, v.Bytes)
		if err != nil {
			return dst, false
		}
		return m.AppendJSON(dst), true
	})
}

// ConsumerProtocol is the protocol type of classic groups whose members are
// consumers.
const ConsumerProtocol = "consumer"

// ReadSubscription reads what a consumer in a classic group wants:
// ConsumerProtocolSubscription behind an i16 version.
func ReadSubscription(b []byte) (message.Message, error) { return readProtocol(subscription, b) }

// ReadAssignment reads what a consumer in a classic group was given:
// ConsumerProtocolAssignment behind an i16 version.
func ReadAssignment(b []byte) (message.Message, error) { return readProtocol(assignment, b) }

var (
	subscription = commonSchema("ConsumerProtocolSubscription")
	assignment   = commonSchema("ConsumerProtocolAssignment")
)

func commonSchema(name string) *message.Schema {
	table := message.Common()
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	panic("topics: no schema " + name)
}

func readProtocol(schema *message.Schema, b []byte) (message.Message, error) {
	version, rest, ok := cutInt16(b)
	if !ok {
		return message.Message{}, errShort
	}
	m, _, err := schema.Read(rest, version)
	return m, err
}
