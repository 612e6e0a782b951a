//go:build !linux

package futex_test

import (
	"errors"
	"testing"
	"time"

	"greenthread/futex"
)

func TestWithoutFutexesTheErrorSaysSo(t *testing.T) {
	word := new(uint32)
	_, wake := futex.Wake(word, 1, futex.Private)
	_, any := futex.WaitAny([]futex.Word{{Addr: word}}, 0)
	_, moved := futex.CmpRequeue(word, new(uint32), 0, 1, 1, futex.Shared)
	_, changed := futex.WakeOp(word, new(uint32), 1, 1, futex.OpSet(1), futex.Shared)
	for _, err := range []error{
		futex.Wait(word, 0, futex.Private),
		futex.WaitUntil(word, 0, 0, futex.Shared),
		wake, any, moved, changed,
		futex.WaitUntilWall(word, 0, time.Now(), futex.Shared),
		futex.WaitBitset(word, 0, 1, 0, futex.Private),
		futex.LockPI(word, 0, futex.Private),
		new(futex.SharedMutex).Lock(),
		new(futex.SharedSemaphore).AcquireUntil(futex.Never),
	} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
	}
	if err := futex.Wait(nil, 0, futex.Private); !errors.Is(err, futex.ErrAddress) {
		t.Errorf("got %v", err)
	}
}
