//go:build !linux

package futex

// Available reports false: this is not Linux.
func (f Feature) Available() bool { return false }
