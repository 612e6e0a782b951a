//go:build !linux

package futex

import "time"

var start = time.Now()

// monotonic counts from the start of the process, and from 1 on, so that the zero Deadline has passed at any time.
func monotonic() Deadline { return Deadline(time.Since(start)) + 1 }
