//go:build kafka

package sanity

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/oracle"
	"github.com/kafsck/kafsck/recordbatch"
	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// What is said of the start of a broker of the release that is asked: it starts
// where nothing is found, and does not where an error says so.
func TestStartsAsFindingsSay(t *testing.T) {
	k := oracle.Open(t)
	root := t.TempDir()
	if r := k.BrokerCheck(root, oracle.BrokerOpts{Format: true, Create: []oracle.Topic{{Name: "t", Partitions: 1}}, Produce: []oracle.Produce{{Topic: "t", Count: 3}}}); !r.OK {
		t.Fatal(r.Failure)
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		code   Code // of the only finding, "" for none
		starts bool
		logged string // in what the broker says
	}{
		{"meta.properties of version 0", func(t *testing.T, dir string) { rewriteMeta(t, dir, true) }, "", true, ""},
		{"meta.properties of version 0 without a cluster", func(t *testing.T, dir string) { rewriteMeta(t, dir, false) }, MetaPropertiesMalformed, false, "cluster ID not found"},
		{"a metadata log that begins later", beginLater, MetadataGap, false, "Inconsistent snapshot state"},
		{"zeros behind a clean stop", func(t *testing.T, dir string) {
			appendTo(t, filepath.Join(dir, "t-0", logFile), make([]byte, 300))
		}, LogZeroTail, false, "CorruptRecordException"},
		{"a version of an aborted transaction in its second byte", func(t *testing.T, dir string) {
			appendTo(t, filepath.Join(dir, "t-0", batchtest.FileName(0, ".txnindex")), append([]byte{0, 1}, make([]byte, 32)...))
		}, TxnIndexVersion, mustParse(t, k.Version()).Before(4, 4), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
				t.Fatal(err)
			}
			c.change(t, dir)
			found := check(t, Options{KafkaVersion: mustParse(t, k.Version())}, dir)
			loud, says := found.loud(), Code("")
			if len(loud) > 0 {
				says = loud[0].Code
			}
			r := k.BrokerCheck(dir, oracle.BrokerOpts{Topics: []string{"t"}})
			if len(loud) > 1 || says != c.code || found.summary.Errors == 0 != c.starts || r.OK != c.starts {
				t.Errorf("the broker starts: %v, %v; found\n%s", r.OK, r.Warnings, found)
			}
			if c.logged != "" && !strings.Contains(strings.Join(r.Warnings, "\n"), c.logged) {
				t.Errorf("the broker does not say %q: %q", c.logged, r.Warnings)
			}
		})
	}
}

func appendTo(t *testing.T, name string, data []byte) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// rewriteMeta makes a file of version 0 of that of version 1.
func rewriteMeta(t *testing.T, dir string, cluster bool) {
	name := filepath.Join(dir, "meta.properties")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(bytes.Replace(data, []byte("version=1"), []byte("version=0"), 1), []byte("node.id"), []byte("broker.id"), 1)
	if !cluster {
		data = regexp.MustCompile(`(?m)^cluster\.id=.*\n`).ReplaceAll(data, nil)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// beginLater takes the first half of the metadata log away.
func beginLater(t *testing.T, dir string) {
	dir = filepath.Join(dir, "__cluster_metadata-0")
	first := filepath.Join(dir, logFile)
	data, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	var base, position int64
	for b, err := range recordbatch.NewScanner(bytes.NewReader(data), int64(len(data)), recordbatch.Options{}).Batches() {
		if err != nil {
			t.Fatal(err)
		}
		if base, position = b.BaseOffset(), b.Position; position > int64(len(data))/2 {
			break
		}
	}
	segments, err := filepath.Glob(filepath.Join(dir, strings.TrimSuffix(logFile, ".log")+".*index"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(segments, first) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for suffix, content := range map[string][]byte{".log": data[position:], ".index": nil, ".timeindex": nil} {
		if err := os.WriteFile(filepath.Join(dir, batchtest.FileName(base, suffix)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
