package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestSingleDashesBecomeDoubleOnesForLongFlagsOnly(t *testing.T) {
	parser := kong.Must(&cli{})
	for in, want := range map[string]string{
		"run create -format json":      "run create --format json",
		"run create -format=json":      "run create --format=json",
		"run create --format json":     "run create --format json",
		"-quick -rounds 3 -o x":        "--quick --rounds 3 -o x",
		"-output x -ofile":             "--output x -ofile",
		"-h -help -unknown -":          "-h --help -unknown -",
		"run -rounds -1 -- -quick -h":  "run --rounds -1 -- -quick -h",
		"format quick":                 "format quick",
		"run -o -quick ---quick -q -f": "run -o --quick ---quick -q -f",
	} {
		got := doubleDashes(parser.Model.Node, strings.Fields(in))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
