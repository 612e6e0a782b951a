//go:build !race

package runtime

import "unsafe"

const raceEnabled = false

func raceRelease(unsafe.Pointer) {}
func raceAcquire(unsafe.Pointer) {}
