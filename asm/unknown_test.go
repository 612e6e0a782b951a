//go:build greenthread_unknown_go && linux && (amd64 || arm64)

package asm

import (
	"errors"
	"testing"
)

func TestAnUnknownVersionIsRefused(t *testing.T) {
	err := Check()
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) {
		t.Fatalf("Check() = %v", err)
	}
	if want := "no table of offsets for go1.999"; unavailable.Reason != want {
		t.Errorf("Check() = %v, want %q in it", err, want)
	}
}
