//go:build unix

package hugepages

import (
	"os/exec"
	"syscall"
)

// separate keeps interrupts from the terminal away from the process.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
