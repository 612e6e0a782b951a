package exp

import (
	"testing"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/measure"
)

// Bench itself may be large, by what it has measured before.
func TestPeakOfAChildIsNotThatOfItsParent(t *testing.T) {
	const large = 256 << 20
	memory := make([]byte, large)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	s, err := child.Open("skynet/goroutine")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Sample(t.Context(), measure.NewClock(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if peak := r.Further["peak_mib"]; peak <= 0 || peak > large>>20-1 {
		t.Errorf("a tree of 10 leaves takes %v MiB", peak)
	}
	memory[0]++ // it is in use until here
}
