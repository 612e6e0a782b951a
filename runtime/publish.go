package runtime

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// publish makes everything that was written before visible to whoever then
// moves the word away from that state by a compare-and-swap. amd64 keeps stores
// in order, so a plain one does; elsewhere, and for the race detector, which
// must see it, the atomic store is used.
func publish(word *uint32, state uint32) {
	if runtime.GOARCH == "amd64" && !raceEnabled {
		*word = state
		return
	}
	atomic.StoreUint32(word, state)
}

// publish64 stores what others read at any time.
func publish64(word *int64, value int64) {
	if runtime.GOARCH == "amd64" && !raceEnabled {
		*word = value
		return
	}
	atomic.StoreInt64(word, value)
}

// loadShared and storeShared are for pointers that others read at any time, and
// use only after something else has told them that it is right. The race detector
// is told by atomic accesses.

func loadShared[T any](p **T) *T {
	if raceEnabled {
		return (*T)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(p))))
	}
	return *p
}

func storeShared[T any](p **T, value *T) {
	if raceEnabled {
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(p)), unsafe.Pointer(value))
		return
	}
	*p = value
}

// storeWord and loadWord are the same for numbers.

func storeWord[W ~uintptr](p *W, value W) {
	if raceEnabled {
		atomic.StoreUintptr((*uintptr)(unsafe.Pointer(p)), uintptr(value))
		return
	}
	*p = value
}

func loadWord[W ~uintptr](p *W) W {
	if raceEnabled {
		return W(atomic.LoadUintptr((*uintptr)(unsafe.Pointer(p))))
	}
	return *p
}
