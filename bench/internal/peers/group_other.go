//go:build !unix

package peers

import "syscall"

// ownGroup changes nothing on this system.
func ownGroup() *syscall.SysProcAttr { return nil }
