//go:build race

package runtime

import (
	"runtime"
	"unsafe"
)

const raceEnabled = true

// What is done before raceRelease(p) happens before what is done after
// raceAcquire(p).

func raceRelease(p unsafe.Pointer) { runtime.RaceReleaseMerge(p) }
func raceAcquire(p unsafe.Pointer) { runtime.RaceAcquire(p) }
