//go:build unix

package strace

import (
	"os/exec"
	"syscall"
)

// wholeGroup has cmd start in a process group of its own, so that an interrupt from
// the terminal is bench's to handle, and be killed with all of it.
func wholeGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
