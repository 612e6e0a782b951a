package runtime

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// ordered says that the architecture keeps stores in order, and loads.
const ordered = runtime.GOARCH == "amd64"

// publish makes everything that was written before visible to whoever then
// moves the word away from that state by a compare-and-swap. amd64 keeps stores
// in order, so a plain one does; elsewhere, and for the race detector, which
// must see it, the atomic store is used.
func publish(word *uint32, state uint32) {
	if ordered && !raceEnabled {
		*word = state
		return
	}
	atomic.StoreUint32(word, state)
}

// publish64 stores what others read at any time.
func publish64(word *int64, value int64) {
	if ordered && !raceEnabled {
		*word = value
		return
	}
	atomic.StoreInt64(word, value)
}

// loadShared and storeShared are for pointers that others read at any time, and
// use only after something else has told them that it is right. The race detector
// is told by atomic accesses, and where stores are not kept in order, what a pointer
// leads to is seen no later than the pointer.

func loadShared[T any](p **T) *T {
	return (*T)(loadPointer((*unsafe.Pointer)(unsafe.Pointer(p))))
}

func storeShared[T any](p **T, value *T) {
	storePointer((*unsafe.Pointer)(unsafe.Pointer(p)), unsafe.Pointer(value))
}

// loadPointer and storePointer are the same for pointers to what is not known here.

func loadPointer(p *unsafe.Pointer) unsafe.Pointer {
	if raceEnabled || !ordered {
		return atomic.LoadPointer(p)
	}
	return *p
}

func storePointer(p *unsafe.Pointer, value unsafe.Pointer) {
	if raceEnabled || !ordered {
		atomic.StorePointer(p, value)
		return
	}
	*p = value
}

// storeWord and loadWord are the same for numbers.

func storeWord[W ~uintptr](p *W, value W) {
	if raceEnabled || !ordered {
		atomic.StoreUintptr((*uintptr)(unsafe.Pointer(p)), uintptr(value))
		return
	}
	*p = value
}

func loadWord[W ~uintptr](p *W) W {
	if raceEnabled || !ordered {
		return W(atomic.LoadUintptr((*uintptr)(unsafe.Pointer(p))))
	}
	return *p
}
