//go:build !unix

package host

// kernel is not asked for on this system.
func kernel() string { return unknown }
