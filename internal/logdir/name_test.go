package logdir

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKafkaAgrees puts the parsers beside Kafka's own (testdata/README.md).
func TestKafkaAgrees(t *testing.T) {
	f, err := os.Open("testdata/kafka-4.4.0.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var a struct {
			Kind   string
			Input  []byte
			Values []string
			Error  []string
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		name, kafka := string(a.Input), strings.Join(a.Values, "|")
		if len(a.Error) > 0 {
			kafka = "fails"
		}
		got := "fails"
		switch p := ParseName(name); a.Kind {
		case "dir":
			if dir, ok := ParsePartitionDir(name); ok {
				got = fmt.Sprintf("%s %d", dir.Topic, dir.Partition)
			}
		case "base":
			if !p.Kind.IsSegment() {
				continue
			}
			if p.HasOffset {
				got = fmt.Sprint(p.BaseOffset)
			}
		case "kraft":
			switch {
			case p.Kind != KindKRaftCheckpoint || p.Suffix == Temporary:
				got = "none"
			case p.Canonical:
				got = fmt.Sprintf("%d %d %v %v", p.BaseOffset, p.Epoch, p.Suffix == Part, p.Suffix == Deleted)
			default:
				// Kafka reads other widths wrongly, or not at all.
				got = kafka
			}
			if name == "bootstrap.checkpoint" {
				got = "fails" // never asked: it lies in another directory
			}
		case "topic":
			if CheckTopic(name) == nil {
				got = ""
			}
		}
		if got != kafka {
			t.Errorf("%s %q: %q, Kafka %q", a.Kind, name, got, kafka)
		}
	}
	if n < 80 {
		t.Errorf("%d answers", n)
	}
}

func TestParseName(t *testing.T) {
	const id = "pNhtXwJcRoO8G_77LU2IGw"
	at := func(kind Kind, offset int64, suffix Suffix) Name {
		return Name{Kind: kind, Suffix: suffix, BaseOffset: offset, HasOffset: true, Epoch: -1, Canonical: true}
	}
	whole := func(kind Kind, suffix Suffix) Name {
		return Name{Kind: kind, Suffix: suffix, Epoch: -1, Canonical: true}
	}
	loose := func(n Name) Name { n.Canonical = false; return n }
	remote := func(kind Kind, offset int64, suffix Suffix) Name {
		n := at(kind, offset, suffix)
		n.RemoteID = id
		return n
	}
	backup := at(KindOffsetIndex, 7, Backup)
	backup.BackupTime = "20260102T030405.000000006Z"
	for name, want := range map[string]Name{
		"00000000000000000000.log":                           at(KindLog, 0, ""),
		"00000000000000000042.index":                         at(KindOffsetIndex, 42, ""),
		"00000000000000000042.timeindex":                     at(KindTimeIndex, 42, ""),
		"00000000000000000042.txnindex":                      at(KindTxnIndex, 42, ""),
		"09223372036854775807.snapshot":                      at(KindProducerSnapshot, 9223372036854775807, ""),
		"00000000000000000042.log.deleted":                   at(KindLog, 42, Deleted),
		"00000000000000000042.index.cleaned":                 at(KindOffsetIndex, 42, Cleaned),
		"00000000000000000042.timeindex.swap":                at(KindTimeIndex, 42, Swap),
		"00000000000000000042.snapshot.deleted":              at(KindProducerSnapshot, 42, Deleted),
		"00000000000000000042.log.swap.deleted":              at(KindLog, 42, Deleted),
		"7.log":                                              loose(at(KindLog, 7, "")),
		"-7.log":                                             loose(at(KindLog, -7, "")),
		"7.x.log":                                            loose(at(KindLog, 7, "")),
		"x.log":                                              {Kind: KindLog, Epoch: -1},
		".log":                                               {Kind: KindLog, Epoch: -1},
		"00000000000000000042-0000000003.checkpoint":         {Kind: KindKRaftCheckpoint, BaseOffset: 42, HasOffset: true, Epoch: 3, Canonical: true},
		"00000000000000000042-0000000003.checkpoint.deleted": {Kind: KindKRaftCheckpoint, BaseOffset: 42, HasOffset: true, Epoch: 3, Canonical: true, Suffix: Deleted},
		"00000000000000000042-0000000003-5.checkpoint.part":  {Kind: KindKRaftCheckpoint, BaseOffset: 42, HasOffset: true, Epoch: 3, Canonical: true, Suffix: Part},
		"00000000000000000042-0000000003-5.checkpoint":       {Kind: KindKRaftCheckpoint, BaseOffset: 42, HasOffset: true, Epoch: 3},
		"42-3.checkpoint":                                    {Kind: KindKRaftCheckpoint, BaseOffset: 42, HasOffset: true, Epoch: 3},
		"x.checkpoint":                                       {Kind: KindKRaftCheckpoint, Epoch: -1},
		"bootstrap.checkpoint":                               whole(KindBootstrapCheckpoint, ""),
		"bootstrap.checkpoint.tmp":                           whole(KindBootstrapCheckpoint, Temporary),
		"leader-epoch-checkpoint":                            whole(KindLeaderEpochCheckpoint, ""),
		"recovery-point-offset-checkpoint":                   whole(KindRecoveryPoints, ""),
		"replication-offset-checkpoint.tmp":                  whole(KindHighWatermarks, Temporary),
		"log-start-offset-checkpoint":                        whole(KindLogStarts, ""),
		"cleaner-offset-checkpoint":                          whole(KindCleanerOffsets, ""),
		"partition.metadata":                                 whole(KindPartitionMetadata, ""),
		"partition.metadata.tmp":                             whole(KindPartitionMetadata, Temporary),
		"meta.properties":                                    whole(KindMetaProperties, ""),
		".kafka_cleanshutdown":                               whole(KindCleanShutdown, ""),
		".lock":                                              whole(KindLock, ""),
		"quorum-state":                                       whole(KindQuorumState, ""),
		"552_" + id + ".timeindex":                           remote(KindTimeIndex, 552, ""),
		"552_" + id + ".index.tmp":                           remote(KindOffsetIndex, 552, Temporary),
		"00000000000000000552-" + id + ".log":                remote(KindLog, 552, ""),
		"552-" + id + ".leader_epoch_checkpoint":             remote(KindLeaderEpochCheckpoint, 552, ""),
		BackupName("00000000000000000007.index", time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)): backup,
		strings.Replace(TempPattern("00000000000000000007.txnindex"), "*", "123", 1):          at(KindTxnIndex, 7, Rebuilding),
		"00000000000000000007.index.bak-old":                                                  {Epoch: -1},
		"notes.txt":                                                                           {Epoch: -1},
		"notes.txt.deleted":                                                                   {Epoch: -1, Suffix: Deleted},
		".deleted":                                                                            {Epoch: -1},
		"":                                                                                    {Epoch: -1},
		"log":                                                                                 {Epoch: -1},
	} {
		if got := ParseName(name); got != want {
			t.Errorf("%q:\n got %+v\nwant %+v", name, got, want)
		}
	}
}

func TestSibling(t *testing.T) {
	for _, c := range []struct {
		name string
		kind Kind
		want string
	}{
		{"00000000000000000042.index", KindLog, "00000000000000000042.log"},
		{"00000000000000000042.index.deleted", KindLog, "00000000000000000042.log.deleted"},
		{"00000000000000000042.log.swap", KindTimeIndex, "00000000000000000042.timeindex.swap"},
		{"7.timeindex", KindLog, "7.log"},
		{"00000000000000000042.index.bak-20260102T030405Z", KindLog, "00000000000000000042.log"},
		{"leader-epoch-checkpoint", KindLog, ""},
		{"x.index", KindLog, ""},
		{"00000000000000000042.index", KindLock, ""},
	} {
		if got := Sibling(c.name, c.kind); got != c.want {
			t.Errorf("%s of %s: %q", c.kind, c.name, got)
		}
	}
}

func TestParsePartitionDir(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef"
	long := strings.Repeat("x", 255-len("-7."+id+"-delete"))
	for name, want := range map[string]PartitionDir{
		"a-b-3":                       {Topic: "a-b", Partition: 3, Canonical: true},
		"t-03":                        {Topic: "t", Partition: 3},
		"t-3." + id + "-future":       {Topic: "t", Partition: 3, Marker: Future, UniqueID: id, Canonical: true},
		"t-3." + id + "-stray":        {Topic: "t", Partition: 3, Marker: Stray, UniqueID: id, Canonical: true},
		"t-3.x-delete":                {Topic: "t", Partition: 3, Marker: Delete, UniqueID: "x"},
		long + "-7." + id + "-delete": {Topic: long, Partition: 7, Marker: Delete, UniqueID: id, Canonical: true},
	} {
		got, ok := ParsePartitionDir(name)
		if !ok || got != want {
			t.Errorf("%q: %+v %v", name, got, ok)
		}
		if got.MaybeTruncated() != (len(name) == 255) {
			t.Errorf("%q: may be cut: %v", name, got.MaybeTruncated())
		}
	}
}

// FuzzNames: parsing never panics; what is canonical is what Kafka's formats
// give; a sibling has the same number, and going back gives the name again.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"00000000000000000042.index", "7.log.swap", "00000000000000000042-0000000003.checkpoint", "t-1.x-delete", "t--1", "5_pNhtXwJcRoO8G_77LU2IGw.index", "a.bak-20260102T030405Z", "\xff-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		n := ParseName(name)
		if n.Canonical && n.Kind.IsSegment() && n.RemoteID == "" && !strings.HasPrefix(name, fmt.Sprintf("%020d%s", n.BaseOffset, n.Kind)) {
			t.Fatalf("%q is canonical: %+v", name, n)
		}
		if n.Kind.IsSegment() && n.HasOffset && n.Suffix != Backup && n.Suffix != Rebuilding {
			sibling := Sibling(name, KindTxnIndex)
			if m := ParseName(sibling); m.BaseOffset != n.BaseOffset || m.Suffix != n.Suffix || m.Kind != KindTxnIndex {
				t.Fatalf("%q has the sibling %q: %+v", name, sibling, m)
			}
			if back := Sibling(sibling, n.Kind); back != name {
				t.Fatalf("%q has the sibling %q, which has %q", name, sibling, back)
			}
		}
		dir, ok := ParsePartitionDir(name)
		if !ok {
			return
		}
		whole := dir.String()
		if dir.Marker != NoMarker {
			whole += "." + dir.UniqueID + "-" + string(dir.Marker)
		}
		if dir.Canonical && whole != name {
			t.Fatalf("%q is canonical: %+v", name, dir)
		}
		if again, ok := ParsePartitionDir(whole); !ok || again.Topic != dir.Topic || again.Partition != dir.Partition || again.Marker != dir.Marker {
			t.Fatalf("%q: %+v, then %q: %+v", name, dir, whole, again)
		}
		_ = CheckTopic(filepath.Base(name))
	})
}

func TestParent(t *testing.T) {
	for path, want := range map[string]string{
		".": "..", "..": filepath.Join("..", ".."), "t-0": ".", "./t-0/": ".", filepath.Join("d", "t-0"): "d",
		filepath.Join("..", ".."): filepath.Join("..", "..", ".."), filepath.Join("..", "t-0"): "..", string(filepath.Separator): string(filepath.Separator),
	} {
		if got := Parent(path); got != want {
			t.Errorf("Parent(%q) is %q, not %q", path, got, want)
		}
	}
}
