//go:build !linux

package futex_test

import (
	"errors"
	"testing"

	"greenthread/futex"
)

func TestWithoutFutexesTheErrorSaysSo(t *testing.T) {
	word := new(uint32)
	_, wake := futex.Wake(word, 1, futex.Private)
	for _, err := range []error{
		futex.Wait(word, 0, futex.Private),
		futex.WaitUntil(word, 0, 0, futex.Shared),
		wake,
	} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
	}
	if err := futex.Wait(nil, 0, futex.Private); !errors.Is(err, futex.ErrAddress) {
		t.Errorf("got %v", err)
	}
}
