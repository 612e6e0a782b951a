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
	if traceTellsOfBubble() || inBubble() {
		t.Error("there is no bubble here")
	}
	synctest.Test(t, func(t *testing.T) {
		if !traceTellsOfBubble() || !inBubble() {
			t.Error("this is a bubble")
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if !traceTellsOfBubble() {
			t.Error("this is a bubble, and locked to its kernel thread")
		}
	})
}
