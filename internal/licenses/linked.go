package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// targets are the release targets of goreleaser.yaml: what is linked differs
// between systems.
var targets = []struct{ goos, goarch string }{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// module is one module with packages in the binary. The standard library is
// the module with an empty version.
type module struct {
	path, version, dir string
	systems            []string // the GOOS values that link it, sorted
	packageDirs        []string // directories of the linked packages, sorted
}

// listedPackage is what is used of the output of go list -json.
type listedPackage struct {
	Dir        string
	ImportPath string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
}

// linkedModules asks the go command for the packages that the program in the
// directory main links, for every target, and groups them by module, in order
// of path, the standard library first.
func linkedModules(main string) ([]*module, error) {
	byPath := make(map[string]*module)
	for _, target := range targets {
		packages, err := linkedPackages(main, target.goos, target.goarch)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			m, err := moduleOf(byPath, p)
			if err != nil {
				return nil, err
			}
			if m == nil {
				continue
			}
			m.systems = insert(m.systems, target.goos)
			if !p.Standard {
				m.packageDirs = insert(m.packageDirs, p.Dir)
			}
		}
	}
	modules := make([]*module, 0, len(byPath))
	for _, m := range byPath {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b *module) int {
		if (a.version == "") != (b.version == "") {
			return strings.Compare(a.version, b.version)
		}
		return strings.Compare(a.path, b.path)
	})
	return modules, nil
}

// moduleOf returns the entry that p belongs to, or nil for our own packages.
func moduleOf(byPath map[string]*module, p listedPackage) (*module, error) {
	if p.Standard {
		const name = "Go standard library"
		if byPath[name] == nil {
			goroot, err := exec.Command("go", "env", "GOROOT").Output()
			if err != nil {
				return nil, fmt.Errorf("go env GOROOT: %w", err)
			}
			byPath[name] = &module{path: name, dir: strings.TrimSpace(string(goroot))}
		}
		return byPath[name], nil
	}
	if p.Module == nil {
		return nil, fmt.Errorf("%s belongs to no module", p.ImportPath)
	}
	if p.Module.Main {
		return nil, nil
	}
	m := byPath[p.Module.Path]
	if m == nil {
		m = &module{path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir}
		if r := p.Module.Replace; r != nil {
			m.version, m.dir = "replaced by "+r.Path+" "+r.Version, r.Dir
		}
		byPath[m.path] = m
	}
	return m, nil
}

func linkedPackages(main, goos, goarch string) ([]listedPackage, error) {
	list := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Standard,Module", main)
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s/%s: %w", goos, goarch, err)
	}
	var packages []listedPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listedPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list for %s/%s: %w", goos, goarch, err)
		}
		packages = append(packages, p)
	}
}

// insert adds s to a sorted list that has each value once.
func insert(list []string, s string) []string {
	i, found := slices.BinarySearch(list, s)
	if found {
		return list
	}
	return slices.Insert(list, i, s)
}
