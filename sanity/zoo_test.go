package sanity

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/recordbatch/batchtest"
)

// tree is a directory to be made: contents by path.
type tree map[string][]byte

// exhibit is one input of the zoo and what must be found in it. The damage
// tables of batchtest, with three partitions each, are the larger part of the
// zoo (TestDamageIsFound); here is what they don't have.
type exhibit struct {
	code     Code
	name     string
	tree     tree
	links    map[string]string // symbolic links by path
	sparse   map[string]int64  // sizes of files that are nothing but a hole
	sizes    map[string]int64  // sizes that files get, by a hole behind their bytes
	targets  []string          // "small-0" where there are none
	options  Options
	file     string // path in the tree; "" leaves it open
	position int64  // -1: none
	slot     int64  // -1: none
	severity Severity
	quiet    bool // nothing else above info may be found
}

// small is smallV2 as a tree, changed.
func small(change func(tree)) tree { return built(smallV2(), change) }

func built(p *batchtest.Partition, change func(tree)) tree {
	t := tree{}
	for name, data := range p.Build() {
		t[p.Dir()+"/"+name] = data
	}
	if change != nil {
		change(t)
	}
	return t
}

// of is a partition of these entries in one segment, with rebuilt indexes.
func of(entries ...batchtest.Entry) *batchtest.Partition {
	return &batchtest.Partition{Topic: "small", Segments: []*batchtest.Segment{batchtest.NewSegment(0, entries...)}, IndexInterval: -1}
}

const (
	dir0 = "small-0/"
	seg0 = dir0 + "00000000000000000000"
	seg8 = dir0 + "00000000000000000008"
	at   = int64(1_700_000_000_000)
)

func kv(base int64) batchtest.Batch {
	return batchtest.NewBatch(base, at+base, batchtest.KV("k", "v"))
}

// logDir puts a partition's tree into a log directory.
func logDir(name string, inside tree, files tree) tree {
	t := tree{name + "/meta.properties": batchtest.MetaProperties(1, "cluster", [16]byte{9, byte(len(name)), name[len(name)-1]})}
	for path, data := range inside {
		t[name+"/"+path] = data
	}
	for path, data := range files {
		t[name+"/"+path] = data
	}
	return t
}

func merged(trees ...tree) tree {
	all := tree{}
	for _, t := range trees {
		maps.Copy(all, t)
	}
	return all
}

func TestZoo(t *testing.T) {
	inputs := map[Code]int{}
	for _, exhibits := range [][]exhibit{logExhibits(), indexExhibits(), stateExhibits(), nameExhibits()} {
		for _, x := range exhibits {
			inputs[x.code]++
			t.Run(string(x.code)+"/"+x.name, func(t *testing.T) { x.show(t) })
		}
	}
	for code, n := range inputs {
		if n < 3 {
			t.Errorf("%s: %d inputs", code, n)
		}
	}
	for _, code := range Codes {
		if inputs[code] == 0 && !inTables(code) && code != MetadataReference { // found by a replay of the log alone
			t.Errorf("%s: no input", code)
		}
	}
}

// inTables says whether the damage tables of batchtest have an input for the
// code. Each is put into three different partitions.
func inTables(code Code) bool {
	for _, tables := range damageTables(0) {
		files := tables.p.Build()
		for _, d := range tables.damages {
			segment, name := hits(tables.p, d)
			if _, what := d.Apply(files[name], &segment.Layout); slices.Contains(what.Codes, string(code)) {
				return true
			}
		}
	}
	return false
}

func (x *exhibit) write(t *testing.T) string {
	root := t.TempDir()
	make := func(path string) string {
		full := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		return full
	}
	for path, data := range x.tree {
		if err := os.WriteFile(make(path), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, to := range x.links {
		full := make(path)
		_ = os.Remove(full)
		if err := os.Symlink(to, full); err != nil {
			t.Skip(err)
		}
	}
	for path, size := range x.sparse {
		full := make(path)
		if err := os.WriteFile(full, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(full, size); err != nil {
			t.Skip(err)
		}
	}
	for path, size := range x.sizes {
		if err := os.Truncate(make(path), size); err != nil {
			t.Skip(err)
		}
	}
	return root
}

// paths are those of the targets, "small-0" where there are none.
func (x *exhibit) paths(root string) []string {
	targets := x.targets
	if len(targets) == 0 {
		targets = []string{"small-0"}
	}
	paths := make([]string, len(targets))
	for i, p := range targets {
		paths[i] = filepath.Join(root, filepath.FromSlash(p))
	}
	return paths
}

func (x *exhibit) show(t *testing.T) {
	root := x.write(t)
	resolved := resolve(t, x.paths(root)...)
	var all strings.Builder
	found := false
	summary, err := Check(context.Background(), resolved, x.options, func(f *Finding) error {
		all.Write(append(f.AppendJSON(nil), '\n'))
		rel, err := filepath.Rel(root, f.File)
		if err != nil {
			return err
		}
		if f.Code == x.code && (x.file == "" || filepath.ToSlash(rel) == x.file) && f.Position == x.position && f.Slot == x.slot && f.Severity == x.severity {
			found = true
		} else if x.quiet && f.Severity > Info {
			t.Errorf("accused as well: %s", f.AppendJSON(nil))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Errorf("want %s %s in %s at %d slot %d; found\n%s", x.severity, x.code, x.file, x.position, x.slot, &all)
	}
	if x.code.Unchecked() != (summary.Unchecked > 0) {
		t.Errorf("%d unchecked", summary.Unchecked)
	}
}
