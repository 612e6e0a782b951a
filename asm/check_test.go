//go:build linux && (amd64 || arm64) && !greenthread_unknown_go

package asm

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestCheckHoldsAndMayBeRepeated(t *testing.T) {
	for range 2 {
		start := time.Now()
		if err := check(); err != nil {
			t.Fatal(err)
		}
		t.Logf("took %v", time.Since(start))
	}
}

func TestCheckRefusesShadowStacks(t *testing.T) {
	defer func(f func() error) { shadowStacks = f }(shadowStacks)
	shadowStacks = func() error { return ErrShadowStack }
	err := check()
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), ErrShadowStack.Error()) {
		t.Errorf("check() = %v", err)
	}
}

func TestCheckKnowsItsVersions(t *testing.T) {
	for rest, known := range map[string]bool{
		"": true, ".8": true, "-rc1": true, ".8 X:foo": true, "0": false, "9.1": false,
	} {
		if knownVersion(tableVersion+rest) != known {
			t.Errorf("knownVersion(%q) = %v", tableVersion+rest, !known)
		}
	}
	for _, other := range []string{"", "go1.2", "go1.25.3", "go1.99", "devel " + tableVersion + "-abc"} {
		if knownVersion(other) {
			t.Errorf("knownVersion(%q)", other)
		}
	}
}

func TestCheckFailsWhenAnyOffsetIsPerturbed(t *testing.T) {
	for name := range offsets("") {
		if err := checkOffsets(offsets(name)); err == nil {
			t.Errorf("a wrong offset of %s goes unnoticed", name)
		} else {
			t.Log(err)
		}
	}
}
