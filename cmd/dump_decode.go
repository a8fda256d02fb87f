package cmd

import (
	"github.com/spf13/pflag"

	"github.com/kafsck/kafsck/internal/dump"
	"github.com/kafsck/kafsck/internal/topics"
)

// topicDecoders are the flags of dump that decode the records of Kafka's own
// topics.
type topicDecoders struct {
	offsets, transactions, metadata, tiers, shares bool

	decode string
}

func (t *topicDecoders) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&t.offsets, "offsets-decoder", false, "print records as those of __consumer_offsets")
	f.BoolVar(&t.transactions, "transaction-log-decoder", false, "print records as those of __transaction_state")
	f.BoolVar(&t.metadata, "cluster-metadata-decoder", false, "print records as those of __cluster_metadata")
	f.BoolVar(&t.tiers, "remote-log-metadata-decoder", false, "print records as those of __remote_log_metadata")
	f.BoolVar(&t.shares, "share-group-state-decoder", false, "print records as those of __share_group_state")
	f.StringVar(&t.decode, "decode", "", "`WHEN`: auto prints data, that of Kafka's own topics decoded by the directory's name; never leaves it as it is. JSON with data does as auto")
}

// apply sets the options. Where several decoders are asked for, the choice is
// that of Kafka's tool, and each of them implies printing the data.
func (t *topicDecoders) apply(d *dump.Options) error {
	switch t.decode {
	case "":
		d.DecodeAuto = d.Format == dump.JSON
	case "auto":
		d.DecodeAuto, d.PrintData = true, true
	case "never":
	default:
		return usageErrorf("--decode: unknown choice %q; there are: auto, never", t.decode)
	}
	for _, c := range []struct {
		set   bool
		topic topics.Topic
	}{
		{t.offsets, topics.ConsumerOffsets}, {t.transactions, topics.TransactionState}, {t.metadata, topics.ClusterMetadata},
		{t.tiers, topics.RemoteLogMetadata}, {t.shares, topics.ShareGroupState},
	} {
		if c.set {
			d.Decode, d.PrintData = c.topic, true
			break
		}
	}
	return nil
}
