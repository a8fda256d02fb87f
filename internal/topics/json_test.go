package topics_test

import (
	"errors"
	"testing"

	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/topics"
)

func TestAppendJSON(t *testing.T) {
	const key = "\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x03"
	const keyJSON = `"key":{"group":"g","topic":"t","partition":3}`
	for _, c := range []struct {
		topic      topics.Topic
		key, value []byte
		want       string
	}{
		{topics.ConsumerOffsets, []byte(key), []byte("\x00\x03\x00\x00\x00\x00\x00\x00\x00\x2a\xff\xff\xff\xff\x00\x00\x00\x00\x01\x74\x87\x6e\x80\x00"),
			`{"type":"OFFSET_COMMIT","typeId":1,"version":3,` + keyJSON + `,"value":{"offset":42,"leaderEpoch":-1,"metadata":"","commitTimestamp":1600000000000},"error":null}`},
		{topics.ConsumerOffsets, []byte(key), nil, // tombstone
			`{"type":"OFFSET_COMMIT","typeId":1,"version":null,` + keyJSON + `,"value":null,"error":null}`},
		{topics.ConsumerOffsets, []byte(key), []byte("\x00\x09abc"),
			`{"type":"OFFSET_COMMIT","typeId":1,"version":9,` + keyJSON + `,"value":"AAlhYmM=","valueEncoding":"base64","error":"version 9 of OFFSET_COMMIT is not known"}`},
		{topics.ConsumerOffsets, []byte(key), []byte("\x00\x03\x00"),
			`{"type":"OFFSET_COMMIT","typeId":1,"version":3,` + keyJSON + `,"value":"AAMA","valueEncoding":"base64","error":"value: position 0: the bytes end inside a field"}`},
		{topics.ConsumerOffsets, []byte("\x00\x63x"), []byte(""),
			`{"type":"UNKNOWN","typeId":99,"version":null,"key":"AGN4","keyEncoding":"base64","value":"","valueEncoding":"base64","error":"record type 99 is not known"}`},
		{topics.ConsumerOffsets, nil, []byte("x"),
			`{"type":"UNKNOWN","typeId":null,"version":null,"key":null,"value":"eA==","valueEncoding":"base64","error":"the record has no key"}`},
		{topics.TransactionState, []byte("\x00\x00\x00\x02tx"), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x10\x92\x00\x01\x00\x00\xea\x60\x02\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
			`{"type":"TRANSACTION_LOG","typeId":0,"version":0,"key":{"transactionalId":"tx"},"value":{"producerId":4242,"producerEpoch":1,"transactionTimeoutMs":60000,"transactionStatus":"PrepareCommit","transactionPartitions":null,"transactionLastUpdateTimestampMs":0,"transactionStartTimestampMs":0},"error":null}`},
		{topics.ClusterMetadata, nil, []byte("\x01\x14\x00\x00"),
			`{"type":"NO_OP_RECORD","typeId":20,"version":0,"key":null,"value":{},"error":null}`},
		{topics.ClusterMetadata, nil, []byte("\x01\x14\x05\x00"), // Kafka's tool reads it as version 0
			`{"type":"NO_OP_RECORD","typeId":20,"version":5,"key":null,"value":"ARQFAA==","valueEncoding":"base64","error":"version 5 of NO_OP_RECORD is not known"}`},
		{topics.ClusterMetadata, nil, []byte("\x01\x14\x00\x00\x00"),
			`{"type":"NO_OP_RECORD","typeId":20,"version":0,"key":null,"value":"ARQAAAA=","valueEncoding":"base64","error":"value: 1 bytes are left over"}`},
		{topics.RemoteLogMetadata, nil, nil,
			`{"type":"UNKNOWN","typeId":null,"version":null,"key":null,"value":null,"error":"value: the record has no value"}`},
	} {
		if got := string(c.topic.Decode(5, c.key, c.value).AppendJSON(nil)); got != c.want {
			t.Errorf("%v, key %q, value %q:\ngot  %s\nwant %s", c.topic, c.key, c.value, got, c.want)
		}
	}
}

// Whether a record is damaged or only newer than the tables can be told apart.
func TestErrors(t *testing.T) {
	var damaged *topics.Error
	var unknownType *topics.UnknownTypeError
	var unknownVersion *message.UnknownVersionError
	for value, target := range map[string]any{
		"\x01\x02\x00\x04fo": &damaged, "\x00": &damaged, "\x01\x63\x00": &unknownType, "\x01\x14\x05\x00": &unknownVersion,
	} {
		if err := topics.ClusterMetadata.Decode(0, nil, []byte(value)).Err; !errors.As(err, target) {
			t.Errorf("%q: %T %v, not a %T", value, err, err, target)
		}
	}
}

func TestForDirectory(t *testing.T) {
	for name, want := range map[string]topics.Topic{
		"__consumer_offsets-12": topics.ConsumerOffsets, "__cluster_metadata-0": topics.ClusterMetadata,
		"__transaction_state-3.0123456789abcdef0123456789abcdef-delete": topics.TransactionState,
		"__share_group_state-0": topics.ShareGroupState, "__remote_log_metadata-0": topics.RemoteLogMetadata,
		"__consumer_offsets": topics.None, "__consumer_offsets-x": topics.None, "__consumer_offsets-": topics.None,
		"orders-0": topics.None, "": topics.None, "__consumer_offsets-copy-0": topics.None,
	} {
		if got := topics.ForDirectory(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
