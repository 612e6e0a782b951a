package nap

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// For lets others run, and then blocks the calling goroutine and its kernel thread for about d,
// or less if a signal comes. A nap keeps its P from others, until Go takes it away.
func For(d time.Duration) {
	runtime.Gosched()
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // whoever naps looks around afterwards, whenever that is
}
