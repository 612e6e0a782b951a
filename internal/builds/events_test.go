package main

import (
	"slices"
	"strings"
	"testing"
)

func TestEventsTellWhatFailedAndWhatWasSkipped(t *testing.T) {
	text, skipped := readEvents(`go: downloading
{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"=== RUN   A\n"}
{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:1: not here\n"}
{"Action":"output","Package":"p","Test":"A","Output":"--- SKIP: A (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"B","Output":"quiet\n"}
{"Action":"pass","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"C","Output":"wrong\n"}
{"Action":"fail","Package":"p","Test":"C"}
{"Action":"output","Package":"p","Test":"D","Output":"panic\n"}
{"Action":"output","Package":"p","Output":"FAIL\n"}
`)
	if want := []string{"p A: a_test.go:1: not here"}; !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
	for _, want := range []string{"go: downloading\n", "wrong\n", "panic\n", "FAIL\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.Contains(text, "quiet") || strings.Contains(text, "not here") {
		t.Errorf("%q tells of tests that have not failed", text)
	}
}
