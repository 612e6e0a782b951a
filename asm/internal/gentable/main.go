// Command gentable writes asm's table of offsets for the toolchain that runs it:
//
//	GOTOOLCHAIN=go1.28.0 go generate ./asm
//
// leaves table_go128.go, and limits the table before it to older versions. The numbers
// are those that the compiler writes down for the assembler when it builds package runtime.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", ".", "the directory of package asm")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "gentable:", err)
		os.Exit(1)
	}
}

// run writes the table of the present toolchain into dir, and gives the tables that
// are there already their build tags anew.
func run(dir string) error {
	v, err := toolchain()
	if err != nil {
		return err
	}
	text, err := table(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, v.file()), []byte(text), 0o644); err != nil {
		return err
	}
	return limit(dir)
}

// table returns the text of the table for version v, the one of the present toolchain,
// without an upper limit in its build tag.
func table(v version) (string, error) {
	var text string
	for _, arch := range []string{"amd64", "arm64"} {
		numbers, err := header(arch)
		if err != nil {
			return "", err
		}
		t, err := render(v, numbers)
		if err != nil {
			return "", fmt.Errorf("linux/%s: %w", arch, err)
		}
		if text != "" && t != text {
			return "", fmt.Errorf("%v: the offsets on %s are not those on amd64: the table needs a file for each", v, arch)
		}
		text = t
	}
	return text, nil
}
