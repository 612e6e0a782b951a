//go:build linux && amd64 && !msan && !asan

package exp

import (
	"os"
	"runtime"
	"strings"
	"testing"

	green "greenthread/runtime"
)

// TestBackendIsNativeInThisBinaryToo runs the check of the Go runtime's code in a
// binary that is laid out otherwise than the tests of asm and runtime.
func TestBackendIsNativeInThisBinaryToo(t *testing.T) {
	if v := os.Getenv("GREENTHREAD_BACKEND"); v != "" {
		t.Skip("GREENTHREAD_BACKEND is ", v)
	}
	v := runtime.Version()
	if !strings.HasPrefix(v, "go1.26") && !strings.HasPrefix(v, "go1.27") {
		t.Skip("no table of offsets for ", v)
	}
	if b := green.Backend(); !b.Native {
		t.Errorf("the backend is %v", b)
	}
}
