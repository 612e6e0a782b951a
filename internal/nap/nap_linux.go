package nap

import (
	"time"

	"golang.org/x/sys/unix"
)

// For blocks the calling goroutine and its kernel thread for about d, or less if a signal
// comes.
func For(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // whoever naps looks around afterwards, whenever that is
}
