package runtime

import (
	"runtime"
	"testing"
	"testing/synctest"
)

// TestATraceTellsOfABubble: where Go's data structures are not known, a stack trace must do.
func TestATraceTellsOfABubble(t *testing.T) {
	runtime.LockOSThread() // the line says so, too
	defer runtime.UnlockOSThread()
	if n := bubbleOfTrace(); n != 0 || inBubble() {
		t.Errorf("there is no bubble here, and it is number %d", n)
	}
	synctest.Test(t, func(t *testing.T) {
		if bubbleOfTrace() == 0 || !inBubble() {
			t.Error("this is a bubble")
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if bubbleOfTrace() == 0 {
			t.Error("this is a bubble, and locked to its kernel thread")
		}
	})
}
