package runtime

import (
	"os"
	"sync"
	"sync/atomic"

	"greenthread/asm"
)

// A BackendInfo says how the coroutines of this process run.
type BackendInfo struct {
	// Native is true when bodies run on pooled stacks and are switched in
	// assembly. Otherwise each body is an ordinary goroutine: the same API and
	// the same meaning, but slower, and with Go's stacks.
	Native bool
	// Reason says why the backend is not native; it is empty if it is.
	Reason string
}

// String returns "native", or "portable" with the reason.
func (b BackendInfo) String() string {
	if b.Native {
		return "native"
	}
	return "portable: " + b.Reason
}

// Backend reports which backend serves, chosen once, at the first call or the
// first use of a coroutine: the native one where the check of this binary
// succeeds, unless the environment says GREENTHREAD_BACKEND=portable, or names there
// what does not exist. The check takes some milliseconds, for which the first caller,
// and others that come meanwhile, wait.
func Backend() BackendInfo { return backend() }

var backend = sync.OnceValue(func() BackendInfo {
	switch choice := os.Getenv("GREENTHREAD_BACKEND"); choice {
	case "", "native":
	case "portable":
		return BackendInfo{Reason: "GREENTHREAD_BACKEND=portable"}
	default:
		return BackendInfo{Reason: "GREENTHREAD_BACKEND=" + choice + " is neither native nor portable"}
	}
	if err := asm.Check(); err != nil {
		return BackendInfo{Reason: err.Error()}
	}
	c, err := stacksOf(0)
	if err != nil {
		return BackendInfo{Reason: err.Error()}
	}
	defaultCache.Store(c)
	return BackendInfo{Native: true}
})

// defaultCache is the cache of default stacks, nil unless the native backend is
// known to serve.
var defaultCache atomic.Pointer[cache]

// native reports whether the native backend serves.
func native() bool { return defaultCache.Load() != nil || backend().Native }
