package peers

import (
	"strings"
	"testing"
)

func TestTailKeepsTheEnd(t *testing.T) {
	var tl tail
	if got := tl.lastLine(); got != "" {
		t.Errorf("nothing was said, the last line is %q", got)
	}
	for range 1000 {
		n, err := tl.Write([]byte(strings.Repeat("x", 99) + "\n"))
		if n != 100 || err != nil {
			t.Fatal(n, err)
		}
	}
	tl.Write([]byte("the end\n"))
	if got := tl.lastLine(); got != "the end" {
		t.Errorf("the last line is %q", got)
	}
	if len(tl.text) > tailSize {
		t.Errorf("%d bytes are kept, more than %d", len(tl.text), tailSize)
	}
}

func TestFirstErrorOfACompilerIsFound(t *testing.T) {
	for said, want := range map[string]string{
		"In file x:\na.c:1: warning: w\na.c:2:3: error: no such thing\na.c:9: error: more\n": "no such thing",
		"a.cpp:2:10: fatal error: a/b.hpp: No such file or directory\n":                      "a/b.hpp: No such file or directory",
		"/usr/bin/ld: cannot find -lx: No such file\ncollect2: error: ld returned 1\n":       "cannot find -lx: No such file",
		"something else\n": "something else",
	} {
		var tl tail
		tl.Write([]byte(said))
		if got := tl.firstError(); got != want {
			t.Errorf("of %q the first error is %q, want %q", said, got, want)
		}
	}
}
