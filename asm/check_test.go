//go:build linux && (amd64 || arm64)

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
	for version, known := range map[string]bool{
		"go1.26": true, "go1.26.8": true, "go1.27.4": true, "go1.27-rc1": true, "go1.26.8 X:foo": true,
		"go1.25.3": false, "go1.28": false, "go1.260": false, "go1.2": false, "devel go1.28-abc": false, "": false,
	} {
		if knownVersion(version) != known {
			t.Errorf("knownVersion(%q) = %v", version, !known)
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
