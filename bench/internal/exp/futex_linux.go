package exp

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/bench/internal/measure"
	"greenthread/futex"
)

// sharedMemory returns a lock and two conditions in memory that other processes could map.
func sharedMemory() (*futex.SharedMutex, *[2]futex.SharedCond, error) {
	type shared struct {
		lock  futex.SharedMutex
		conds [2]futex.SharedCond
	}
	memory, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	s := (*shared)(unsafe.Pointer(unsafe.SliceData(memory)))
	return &s.lock, &s.conds, nil
}

// refusePrivateFutexes puts a seccomp filter on this process that answers private futex operations by ENOSYS, save for
// FUTEX_WAIT and FUTEX_WAKE: the Go runtime does not live without these, and our package uses others where it waits.
func refusePrivateFutexes() error {
	const (
		offsetCall = 0  // in struct seccomp_data
		offsetOp   = 24 // the low half of the second argument, on a little-endian machine
		private    = 128
	)
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offsetCall},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FUTEX, Jf: 5}, // another call: allow
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offsetOp},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: private, Jf: 3}, // shared: allow
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: private - 1},     // without flags
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: 1, Jf: 1},        // wait or wake: allow
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return measure.Unavailablef("it cannot refuse itself anything: %v", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))); errno != 0 {
		return measure.Unavailablef("seccomp does not take the filter: %v", errno)
	}
	return nil
}
