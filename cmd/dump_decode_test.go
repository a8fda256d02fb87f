package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// A record that its coordinator can't read is damage where the directory says
// so; it hides nothing behind it. One of a newer type is no damage.
func TestDumpOfUndecodableRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	records := []batchtest.Record{
		batchtest.KV("\x00\x00\x00\x05a", "\x00\x00"),
		{Value: []byte("no key")},
		batchtest.KV("\x00\x63", "newer"),
		{Key: []byte("\x00\x00\x00\x01a")},
	}
	log := batchtest.NewBatch(0, 1600000000000, records...).Encode()
	for _, dir := range []string{"__transaction_state-0", "other-0"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "00000000000000000000.log"), log, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		" key: Error at offset 0, skipping. Could not read record with version 0 from key's buffer due to: Error reading byte array of 5 byte(s): only 1 byte(s) available.",
		"",
		" key: Unknown record type 99 at offset 2, skipping.",
		` key: {"type":"0","data":{"transactionalId":"a"}} payload: <DELETE>`,
	}
	for dir, exit := range map[string]int{"__transaction_state-0": exitDamage, "other-0": exitOK} {
		stdout, stderr, code := run(t, "dump", "--transaction-log-decoder", dir+"/00000000000000000000.log")
		lines := strings.Split(string(stdout), "\n| offset: ")[1:]
		for i, line := range lines {
			if _, got, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "headerKeys: []"); got != want[i] {
				t.Errorf("%s, offset %d: %q, want %q", dir, i, got, want[i])
			}
		}
		findings := strings.Count(string(stderr), "record-malformed: not a record of __transaction_state: ")
		if code != exit || len(lines) != len(want) || findings != map[int]int{exitDamage: 2}[exit] {
			t.Errorf("%s: exit %d, %d lines, %d findings: %s", dir, code, len(lines), findings, stderr)
		}
	}
}
