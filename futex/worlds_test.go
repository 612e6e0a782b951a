//go:build !linux || futexportable

package futex_test

// worlds are those in which the suite of the primitives runs here.
func worlds() map[string]world { return map[string]world{"private": private} }
