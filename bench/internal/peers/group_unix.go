//go:build unix

package peers

import "syscall"

// ownGroup puts a peer into a process group of its own: an interrupt from the
// terminal is bench's to handle.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
