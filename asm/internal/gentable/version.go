package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// A version is a release of Go, such as 26 for go1.26.
type version int

func (v version) String() string { return fmt.Sprintf("go1.%d", int(v)) }

// file is the name of the table of v.
func (v version) file() string { return fmt.Sprintf("table_go1%d.go", int(v)) }

// tag is the build tag of the table of v; next is the version of the table that follows,
// or 0. Versions newer than any table get the last one, so that everything compiles:
// Check refuses there.
func (v version) tag(oldest bool, next version) string {
	tag := "//go:build linux && (amd64 || arm64)"
	if !oldest {
		tag += " && " + v.String()
	}
	if next != 0 {
		tag += " && !" + next.String()
	}
	return tag
}

// toolchain returns the version of the toolchain that "go" is.
func toolchain() (version, error) {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return 0, fmt.Errorf("go env GOVERSION: %w", err)
	}
	m := regexp.MustCompile(`^(?:devel )?go1\.(\d+)`).FindSubmatch(bytes.TrimSpace(out))
	if m == nil {
		return 0, fmt.Errorf("go env GOVERSION is %q, not go1.N", out)
	}
	n, err := strconv.Atoi(string(m[1]))
	return version(n), err
}

// tables lists the versions that have a table in dir, in order.
func tables(dir string) ([]version, error) {
	names, err := filepath.Glob(filepath.Join(dir, "table_go1*.go"))
	if err != nil {
		return nil, err
	}
	var found []version
	for _, name := range names {
		if m := regexp.MustCompile(`table_go1(\d+)\.go$`).FindStringSubmatch(name); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, err
			}
			found = append(found, version(n))
		}
	}
	slices.Sort(found)
	return found, nil
}

// limit writes the build tags of all tables in dir.
func limit(dir string) error {
	all, err := tables(dir)
	if err != nil {
		return err
	}
	for i, v := range all {
		next := version(0)
		if i+1 < len(all) {
			next = all[i+1]
		}
		name := filepath.Join(dir, v.file())
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(retag(string(text), v.tag(i == 0, next))), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// retag replaces the build tag of a table.
func retag(text, tag string) string {
	return regexp.MustCompile(`(?m)^//go:build .*$`).ReplaceAllLiteralString(text, tag)
}
