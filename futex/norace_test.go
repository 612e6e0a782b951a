//go:build !race

package futex_test

const raceEnabled = false
