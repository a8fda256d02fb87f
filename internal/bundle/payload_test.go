package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/loader"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// marker is what must not come out. It is long enough that no part of six bytes
// comes by chance.
const marker = "S3cr3t~P4yl0ad"

// needles are the forms in which a marker could come out: parts of it, as they
// are, as hex and base64, and as the numbers that its bytes are in fields.
var needles = func() map[string]string {
	list := map[string]string{}
	for i := 0; i+6 <= len(marker); i++ {
		part := marker[i : i+6]
		list[part] = "plain"
		list[hex.EncodeToString([]byte(part))] = "hex"
		list[strings.ToUpper(hex.EncodeToString([]byte(part)))] = "hex"
	}
	// Any three bytes in a row are four base64 characters in one of three
	// alignments; three groups are no chance.
	for i := 0; i+9 <= len(marker); i++ {
		list[base64.StdEncoding.EncodeToString([]byte(marker[i:i+9]))] = "base64"
	}
	for i := 0; i+8 <= len(marker); i++ {
		list[strconv.FormatUint(binary.BigEndian.Uint64([]byte(marker[i:])), 10)] = "a number"
	}
	return list
}()

func leaks(data []byte) []string {
	var found []string
	for needle, form := range needles {
		if at := bytes.Index(data, []byte(needle)); at >= 0 {
			found = append(found, fmt.Sprintf("%s %q in …%q", form, needle, data[max(at-60, 0):min(at+60, len(data))]))
		}
	}
	return found
}

// makeBundle makes the bundle of a path and returns its members.
func makeBundle(t testing.TB, path string, o Options) (map[string][]byte, *Result) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "report.tar.gz")
	if o.Recovery == nil {
		o.Recovery = testRecovery()
	}
	result, err := write(t, t.Context(), path, out, o)
	if err != nil {
		t.Fatal(err)
	}
	return unpack(t, out), result
}

func testRecovery() *Recovery {
	o := loader.DirOptions{}
	o.Version, o.Interval, o.MaxIndexSize = kafkaversion.Latest, 4096, 10<<20
	return &Recovery{
		Options:  o,
		Start:    func(s *loader.Start) any { return []any{s.Path, s.Failure} },
		Plan:     func(p *loader.Plan) any { return []any{p.Path, p.Partition, p.Failure, p.Lost} },
		Decision: func(d *loader.Decision) any { return d },
	}
}

func unpack(t testing.TB, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string][]byte{}
	for archive := tar.NewReader(zip); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return members
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(h.Name, topDir)
		if len(members) == 0 && name != manifestName {
			t.Fatalf("the first member is %s", name)
		}
		if members[name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// checkBundle says what of the payloads came out.
func checkBundle(t *testing.T, members map[string][]byte) {
	t.Helper()
	for name, data := range members {
		for _, l := range leaks(append([]byte(name+"\n"), data...)) {
			t.Errorf("%s: %s", name, l)
		}
	}
	var m Manifest
	if err := json.Unmarshal(members[manifestName], &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Members) != len(members)-1 {
		t.Errorf("the manifest has %d members, the archive %d beside it", len(m.Members), len(members)-1)
	}
	for _, d := range m.Members {
		if int64(len(members[d.Name])) != d.Size {
			t.Errorf("%s has %d bytes, the manifest says %d", d.Name, len(members[d.Name]), d.Size)
		}
	}
}

func markerRecord(i int) batchtest.Record {
	r := batchtest.KV(fmt.Sprintf("key %d %s", i, marker), strings.Repeat(fmt.Sprintf("value %d %s ", i, marker), 3))
	r.Headers = []batchtest.Header{{Key: "header " + marker, Value: []byte("header value " + marker)}, {Key: marker}}
	return r
}

// markerLogs are logs of every format and codec, whose records are full of it.
func markerLogs() map[string]*batchtest.Segment {
	v2, v1, v0 := batchtest.NewSegment(0), batchtest.NewSegment(0), batchtest.NewSegment(0)
	offset := int64(0)
	for i := range 12 {
		b := batchtest.NewBatch(offset, 1700000000000+int64(i), markerRecord(i), markerRecord(i+1), markerRecord(i+2)).WithProducer(7, 0, int32(3*i))
		if i >= 8 {
			b = b.WithCodec(batchtest.Codecs[i-7], batchtest.Compression{})
		}
		v2.Add(b)
		offset += 3
	}
	key, value := []byte("key "+marker), []byte("value "+marker)
	offset = 0
	for _, codec := range []batchtest.Codec{batchtest.None, batchtest.Gzip, batchtest.Snappy, batchtest.Lz4} {
		if codec == batchtest.None {
			v0.Add(batchtest.V0(offset, key, value))
			v1.Add(batchtest.V1(offset, 1700000000000, key, value))
		} else {
			v0.Add(batchtest.NewWrapper(0, codec, batchtest.Compression{}, batchtest.V0(offset, key, value)))
			v1.Add(batchtest.NewWrapper(1, codec, batchtest.Compression{}, batchtest.V1(offset, 1700000000000, key, value)))
		}
		offset++
	}
	return map[string]*batchtest.Segment{"v2": v2, "v1": v1, "v0": v0}
}

// The payloads are in the files, and nothing of them in the bundle.
func TestNoPayloadInTheBundle(t *testing.T) {
	root := t.TempDir()
	dir := batchtest.LogDir{NodeID: 1, ClusterID: "cluster-1", DirectoryID: [16]byte{9, 9, 9}, Clean: true}
	for topic, log := range markerLogs() {
		if topic == "v2" && len(leaks(log.Data)) == 0 {
			t.Fatal("no marker is in the log itself")
		}
		dir.Partitions = append(dir.Partitions, &batchtest.Partition{Topic: topic, TopicID: [16]byte{1, topic[1]}, Segments: []*batchtest.Segment{log}, IndexInterval: -1})
	}
	state := batchtest.NewSegment(0, batchtest.NewBatch(0, 1, batchtest.KV("\x00\x00\x00\x0e"+marker, "\x00\x01"+marker)))
	dir.Partitions = append(dir.Partitions, &batchtest.Partition{Topic: "__transaction_state", Segments: []*batchtest.Segment{state}})
	if err := dir.Write(root); err != nil {
		t.Fatal(err)
	}
	appendTo(t, filepath.Join(root, "meta.properties"), "\nlisteners="+marker+"\n# "+marker+"\n")
	appendTo(t, filepath.Join(root, "notes.txt"), marker)
	appendTo(t, filepath.Join(root, "v2-0", "notes.txt"), marker)
	for _, o := range []Options{{}, {Records: true}, {Records: true, RedactNames: true, MaxBatches: 2}} {
		members, result := makeBundle(t, root, o)
		checkBundle(t, members)
		if result.Findings.Errors > 0 || len(result.Failures) > 0 {
			t.Errorf("%v: %s", result.Failures, members["findings.ndjson"])
		}
	}
	members, _ := makeBundle(t, root, Options{Records: true})
	if got := bytes.Count(members["headers/v2-0/00000000000000000000.log.ndjson"], []byte(`"keySha256":"`)); got != 36*3 {
		t.Errorf("%d keys and header keys are listed, not %d", got, 36*3)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, text...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What a file system repair does: payloads where they don't belong.
func TestNoPayloadOfDamagedFiles(t *testing.T) {
	logs := markerLogs()
	secret := []byte(strings.Repeat(marker, 40))
	damages := batchtest.LogDamages()
	damages = append(damages, batchtest.HostileDamages()...)
	damages = append(damages, batchtest.TextDamages()...)
	for _, n := range []int64{0, 100, 1000} {
		for at := int64(0); at < 70; at += 7 {
			damages = append(damages, batchtest.Overwrite(".log", n+at, secret[:20]))
		}
		damages = append(damages, batchtest.Overwrite(".log", n, secret), batchtest.Insert(".log", n, secret), batchtest.Delete(".log", n, 333), batchtest.Truncate(".log", n+500))
	}
	for _, file := range []string{".index", ".timeindex", ".snapshot", "leader-epoch-checkpoint", "partition.metadata", "recovery-point-offset-checkpoint", "meta.properties", ".kafka_cleanshutdown"} {
		for _, n := range []int64{0, 2, 8, 12} {
			damages = append(damages, batchtest.Overwrite(file, n, secret), batchtest.Insert(file, n, secret), batchtest.Insert(file, n, []byte(marker+"\n")))
		}
	}
	if testing.Short() {
		damages = every(damages, 7)
	}
	for topic, log := range logs {
		root := t.TempDir()
		p := &batchtest.Partition{Topic: topic, TopicID: [16]byte{1, 2}, Segments: []*batchtest.Segment{log}, IndexInterval: -1}
		dir := batchtest.LogDir{NodeID: 1, ClusterID: "cluster-1", DirectoryID: [16]byte{9, 9, 9}, Partitions: []*batchtest.Partition{p}, Clean: true}
		if err := dir.Write(root); err != nil {
			t.Fatal(err)
		}
		for i, d := range damages {
			if topic != "v2" && (d.File != ".log" || d.Name == "") && i%3 > 0 {
				continue
			}
			path := find(root, d.File)
			if path == "" {
				continue
			}
			sound, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			damaged, ok := apply(d, sound, &log.Layout)
			if !ok {
				continue
			}
			if err := os.WriteFile(path, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			members, _ := makeBundle(t, root, Options{Records: true, Workers: 1})
			if checkBundle(t, members); t.Failed() {
				t.Fatalf("%s: %s of %s", topic, d.Name, d.File)
			}
			if err := os.WriteFile(path, sound, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// apply is false where the damage is for other files.
func apply(d batchtest.Damage, data []byte, layout *batchtest.Layout) (damaged []byte, ok bool) {
	defer func() { ok = recover() == nil }()
	damaged, _ = d.Apply(data, layout)
	return damaged, true
}

func every(list []batchtest.Damage, n int) (some []batchtest.Damage) {
	for i := 0; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}

func find(root, suffix string) (found string) {
	_ = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, suffix) {
			found = path
		}
		return err
	})
	return found
}
