//go:build unix

package host

import "golang.org/x/sys/unix"

// kernel returns the system's name and release.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return unknown
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
}
