package futex

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelWord is struct futex_waitv.
type kernelWord struct {
	val, addr       uint64
	flags, reserved uint32
}

const sizeU32 = 2 // FUTEX2_SIZE_U32

func makeKernelWord(w Word) kernelWord {
	return kernelWord{
		val:   uint64(w.Val),
		addr:  uint64(uintptr(unsafe.Pointer(w.Addr))),
		flags: sizeU32 | w.Scope.flag(), // FUTEX2_PRIVATE is FUTEX_PRIVATE_FLAG
	}
}

// timespec64 is struct __kernel_timespec, which has 64 bits everywhere.
type timespec64 struct{ sec, nsec int64 }

func (i instant) timespec64() *timespec64 {
	switch {
	case i.endless:
		return nil
	case i.realtime:
		return &timespec64{max(0, i.wall.Unix()), int64(i.wall.Nanosecond())}
	}
	d := int64(max(0, i.deadline))
	return &timespec64{d / 1e9, d % 1e9}
}

// kernelWaitAny keeps words alive, since the kernel's copies of their addresses do not.
func kernelWaitAny(words []Word, end instant) (int, error) {
	if !FeatureWaitV.Available() {
		return pollAny(words, end)
	}
	var few [4]kernelWord
	vector := few[:0]
	for _, w := range words {
		vector = append(vector, makeKernelWord(w))
	}
	defer runtime.KeepAlive(words)
	for {
		index, errno := waitVector(vector, end.timespec64())
		switch errno {
		case 0:
			return index, nil
		case unix.EAGAIN:
			if i := changed(words); i >= 0 { // else it has changed back: wait again
				return i, nil
			}
		case unix.EINTR:
		case unix.ETIMEDOUT:
			return -1, ErrTimeout
		default:
			return -1, kernelError("wait", words[0].Addr, errno)
		}
	}
}

func waitVector(vector []kernelWord, timeout *timespec64) (int, unix.Errno) {
	if errno := refused(callWaitV); errno != 0 {
		return 0, errno
	}
	index, _, errno := unix.Syscall6(unix.SYS_FUTEX_WAITV, uintptr(unsafe.Pointer(unsafe.SliceData(vector))),
		uintptr(len(vector)), 0, uintptr(unsafe.Pointer(timeout)), unix.CLOCK_MONOTONIC, 0)
	return int(index), errno
}

// changed returns the index of a word that has another value than it should have, or -1.
func changed(words []Word) int {
	for i := range words {
		if atomic.LoadUint32(words[i].Addr) != words[i].Val {
			return i
		}
	}
	return -1
}

// shortNap is how long those who have to poll sleep at first, and longNap at last.
const (
	shortNap = 50 * time.Microsecond
	longNap  = 10 * time.Millisecond
)

// pollAny sleeps on the first word, each time for a little longer.
func pollAny(words []Word, end instant) (int, error) {
	for nap := shortNap; ; nap = min(2*nap, longNap) {
		if i := changed(words); i >= 0 {
			return i, nil
		}
		slice := After(nap)
		over := !end.endless && end.deadline <= slice
		if over {
			slice = end.deadline
		}
		switch err := kernelWait(words[0].Addr, words[0].Val, matchAny, slice.instant(), words[0].Scope); {
		case err == nil:
			return 0, nil
		case err != ErrTimeout:
			return -1, err
		case over:
			if i := changed(words); i >= 0 {
				return i, nil
			}
			return -1, ErrTimeout
		}
	}
}
