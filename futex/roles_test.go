//go:build !linux || futexportable

package futex_test

// play does nothing: without memory that processes share there are no children.
func play() {}
