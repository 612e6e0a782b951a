//go:build linux && race

package stackpool

// underRace tells that the race detector is in this process. It maps a lot, and
// its own allocator dies at a limit of the process where we return an error.
const underRace = true
