//go:build !linux

package stackpool

import (
	"errors"
	"testing"
)

func TestNewSaysThatThereAreNoPoolsHere(t *testing.T) {
	if p, err := New(Config{}); p != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, %v", p, err)
	}
}
