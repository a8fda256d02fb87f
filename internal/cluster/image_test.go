package cluster_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kafsck/kafsck/internal/cluster"
	"github.com/kafsck/kafsck/internal/message"
	"github.com/kafsck/kafsck/internal/message/messagetest"
	"github.com/kafsck/kafsck/internal/topiclog"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
	"github.com/kafsck/kafsck/sanity"
)

// value is a metadata record: frame 1, type, version 0, fields.
func value(kind byte, fields string) batchtest.Record {
	return batchtest.Record{Value: append([]byte{1, kind, 0}, fields...)}
}

const topicID = "0123456789abcdef"

func str(s string) string { return string(rune(len(s)+1)) + s }

func topic(name string) batchtest.Record { return value(2, str(name)+topicID+"\x00") }

func config(topic, name, v string) batchtest.Record {
	return value(4, "\x02"+str(topic)+str(name)+str(v)+"\x00")
}

func feature(name string, level byte) batchtest.Record {
	return value(12, str(name)+"\x00"+string(rune(level))+"\x00")
}

func writeLog(t testing.TB, records ...batchtest.Record) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "__cluster_metadata-0")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	log := batchtest.NewBatch(0, 1600000000000, records...).Encode()
	if err := os.WriteFile(filepath.Join(dir, log0), log, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReferences(t *testing.T) {
	begin, end, abort := value(23, "\x00"), value(24, "\x00"), value(25, "\x00")
	removeTopic := value(9, topicID+"\x00")
	partition := value(3, "\x00\x00\x00\x00"+topicID+"\x02\x00\x00\x00\x01\x02\x00\x00\x00\x01\x01\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	leaderless := value(5, "\x00\x00\x00\x00"+topicID+"\x01\x01\x04\xff\xff\xff\xff")
	for name, c := range map[string]struct {
		records []batchtest.Record
		want    []sanity.Code
		topics  []string
	}{
		"a topic":                         {[]batchtest.Record{topic("a"), partition, leaderless}, nil, []string{"a"}},
		"a topic that goes":               {[]batchtest.Record{topic("a"), config("a", "x", "1"), removeTopic}, nil, nil},
		"a topic that was never there":    {[]batchtest.Record{removeTopic}, []sanity.Code{sanity.MetadataReference}, nil},
		"a partition of no topic":         {[]batchtest.Record{partition}, []sanity.Code{sanity.MetadataReference}, nil},
		"a change of no partition":        {[]batchtest.Record{topic("a"), leaderless}, []sanity.Code{sanity.MetadataReference}, []string{"a"}},
		"a name that is taken":            {[]batchtest.Record{topic("a"), topic("a")}, []sanity.Code{sanity.MetadataReference}, []string{"a"}},
		"a broker that isn't registered":  {[]batchtest.Record{value(7, "\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00")}, []sanity.Code{sanity.MetadataReference}, nil},
		"a config of nothing is no fault": {[]batchtest.Record{config("a", "x", "1")}, nil, nil},
		"a transaction":                   {[]batchtest.Record{begin, topic("a"), end}, nil, []string{"a"}},
		"an aborted transaction":          {[]batchtest.Record{begin, topic("a"), abort}, nil, nil},
		"a transaction without end":       {[]batchtest.Record{begin, topic("a")}, nil, nil},
		"an end without beginning":        {[]batchtest.Record{topic("a"), end}, []sanity.Code{sanity.MetadataReference}, []string{"a"}},
		"a damaged record":                {[]batchtest.Record{value(2, "\x09a"), topic("a")}, []sanity.Code{sanity.RecordMalformed}, []string{"a"}},
		"a newer record":                  {[]batchtest.Record{value(99, "what?"), topic("a")}, nil, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			result, found := codes(t, writeLog(t, c.records...), topiclog.All)
			if diff := cmp.Diff(c.want, found); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			var names []string
			for _, topic := range result.SortedTopics() {
				names = append(names, topic.Name)
			}
			if !slices.Equal(names, c.topics) || len(result.Configs) > 0 && c.topics != nil {
				t.Errorf("topics %v, configs %v", names, result.Configs)
			}
		})
	}
}

func TestFeatureLevels(t *testing.T) {
	result := load(t, writeLog(t, feature("a", 1), feature("b", 2), feature("a", 0), feature("b", 3)), topiclog.All)
	if diff := cmp.Diff(map[string]int16{"b": 3}, result.Features); diff != "" {
		t.Error(diff)
	}
}

func TestSensitive(t *testing.T) {
	broker, topic := cluster.Resource{Type: "broker", Name: "1"}, cluster.Resource{Type: "topic", Name: "t"}
	for name, want := range map[string]bool{
		"ssl.keystore.password": true, "listener.name.internal.ssl.key.password": true, "sasl.jaas.config": true,
		"listener.name.a.scram-sha-256.sasl.jaas.config": true, "ssl.keystore.key": true, "ssl.truststore.certificates": true,
		"ssl.keystore.certificate.chain": true, "num.io.threads": false, "log.retention.ms": false, "ssl.keystore.location": false,
	} {
		if got := cluster.Sensitive(broker, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if cluster.Sensitive(topic, "retention.ms") {
		t.Error("a topic's config is no secret")
	}
}

// No log makes Load panic, and each record of it is applied, skipped or a
// finding.
func FuzzLoad(f *testing.F) {
	g := messagetest.Generator{Rand: rand.New(rand.NewPCG(5, 5))}
	var all []byte
	for i := range message.Metadata() {
		s := &message.Metadata()[i]
		v := g.Message([]byte{1, byte(s.Key), 0}, s, 0)
		all = append(binary.AppendUvarint(all, uint64(len(v))), v...)
	}
	f.Add(all)
	f.Add(slices.Concat([]byte{24}, topic("abcd").Value, []byte{3}, value(24, "\x00").Value))
	f.Fuzz(func(t *testing.T, b []byte) {
		var records []batchtest.Record
		for len(b) > 0 && len(records) < 200 {
			n, size := binary.Uvarint(b)
			if size <= 0 || n > uint64(len(b)-size) {
				break
			}
			records = append(records, batchtest.Record{Value: bytes.Clone(b[size : size+int(n)])})
			b = b[size+int(n):]
		}
		if len(records) == 0 {
			return
		}
		result, _ := codes(t, writeLog(t, records...), topiclog.All)
		if result.Records+result.Skipped != int64(len(records)) || result.LastOffset != int64(len(records)-1) {
			t.Fatalf("%d records: %d applied, %d skipped, last offset %d", len(records), result.Records, result.Skipped, result.LastOffset)
		}
		result.SortedTopics()
		result.SortedConfigs()
		result.SortedACLs()
		result.SortedQuotas()
	})
}
