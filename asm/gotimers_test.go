//go:build linux && (amd64 || arm64)

package asm

import (
	"testing"
	"time"
)

func TestGoTimersAreSeen(t *testing.T) {
	if !KnowsGoTimers() {
		t.Skip("not for this version of Go")
	}
	timer := time.AfterFunc(time.Hour, func() {})
	defer timer.Stop()
	if pending, known := GoTimers(); !pending || !known {
		t.Errorf("%v, %v", pending, known)
	}
}
