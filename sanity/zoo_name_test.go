package sanity

import "github.com/kafsck/kafsck/internal/statefile"

func nameExhibits() []exhibit {
	file := func(code Code, name, path string, severity Severity) exhibit {
		return exhibit{code: code, name: name, file: dir0 + path, position: -1, slot: -1, severity: severity, quiet: true,
			tree: small(func(t tree) { t[dir0+path] = []byte("x") })}
	}
	orphan := func(name, path string) exhibit {
		x := file(FileOrphan, name, path, Warning)
		x.tree = small(func(t tree) { t[dir0+path] = nil })
		return x
	}
	renamed := func(name string) tree {
		t := tree{}
		for path, data := range small(nil) {
			t[name+path[len("small-0"):]] = data
		}
		return t
	}
	link := func(name, path string) exhibit {
		return exhibit{code: IOError, name: name, tree: small(nil), links: map[string]string{path: "gone/nowhere"}, file: path, position: -1, slot: -1, severity: Error}
	}
	marked := "small-0.0123456789abcdef0123456789abcdef-delete"
	return []exhibit{
		file(FileLeftover, "deleted", "00000000000000000000.log.deleted", Info),
		file(FileLeftover, "backup", "00000000000000000000.index.bak-20260102T030405.000000006Z", Info),
		file(FileLeftover, "half-written snapshot", "00000000000000000010-0000000002.123.checkpoint.part", Info),
		{code: FileLeftover, name: "a directory being deleted", targets: []string{marked}, tree: renamed(marked), file: marked, position: -1, slot: -1, severity: Info, quiet: true},
		{code: FileName, name: "seven", tree: small(func(t tree) { t[dir0+"70.log"] = nil }), file: dir0 + "70.log", position: -1, slot: -1, severity: Warning, quiet: true},
		file(FileName, "no offset", "abc.index", Warning),
		{code: FileName, name: "no partition", targets: []string{"data"}, tree: logDir("data", small(nil), tree{"junk.dir/x": nil}), file: "data/junk.dir", position: -1, slot: -1, severity: Warning, quiet: true},
		{code: FileName, name: "no topic", targets: []string{"a b-0"}, tree: renamed("a b-0"), file: "a b-0", position: -1, slot: -1, severity: Warning, quiet: true},
		orphan("offset index", "00000000000000000004.index"),
		orphan("time index", "00000000000000000004.timeindex"),
		orphan("transaction index", "00000000000000000099.txnindex"),
		link("log", seg8+".log"),
		link("index", seg0+".index"),
		link("snapshot", dir0+"00000000000000000011.snapshot"),
		{code: Unsupported, name: "no file of Kafka", targets: []string{"notes.txt"}, tree: tree{"notes.txt": []byte("hello")}, file: "notes.txt", position: -1, slot: -1, severity: Error, quiet: true},
		{code: Unsupported, name: "no extension", targets: []string{"README"}, tree: tree{"README": nil}, file: "README", position: -1, slot: -1, severity: Error, quiet: true},
		{code: Unsupported, name: "too large", tree: small(nil), sparse: map[string]int64{dir0 + "leader-epoch-checkpoint": statefile.MaxTextSize + 1}, file: dir0 + "leader-epoch-checkpoint", position: -1, slot: -1, severity: Error, quiet: true},
	}
}
