//go:build linux && amd64

package asm

import (
	"testing"
	"time"
)

func TestCheckHolds(t *testing.T) {
	start := time.Now()
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	t.Logf("took %v", time.Since(start))
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
