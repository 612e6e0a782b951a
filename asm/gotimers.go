//go:build linux && (amd64 || arm64)

package asm

import (
	"math"
	"runtime"
	"strings"
	"sync"
)

// GoTimers reports whether any timer of package time, or of the runtime's own, is
// pending; also one that was stopped and not forgotten yet. known is false where that
// cannot be told.
func GoTimers() (pending, known bool) {
	f := timeSleepUntil()
	if f == 0 {
		return false, false
	}
	return funcAt[func() int64](f)() != math.MaxInt64, true
}

// KnowsGoTimers reports whether GoTimers may know. It costs nothing, while the first
// GoTimers takes some milliseconds.
func KnowsGoTimers() bool { return knownVersion(goVersion()) }

// timeSleepUntil finds the function of the runtime that returns when the next timer
// comes, by which the runtime itself decides whether a program is deadlocked; 0 if there
// is none. It has no parameters, and takes a lock for a moment.
var timeSleepUntil = sync.OnceValue(func() uintptr {
	if !knownVersion(goVersion()) {
		return 0
	}
	code := around(pcOf(gopark), func(name string) bool { return strings.HasPrefix(name, "runtime.") })
	for pc := code.low; pc < code.high; pc += codeAlign {
		if f := runtime.FuncForPC(pc); f != nil && f.Entry() == pc && f.Name() == "runtime.timeSleepUntil" {
			return pc
		}
	}
	return 0
})
