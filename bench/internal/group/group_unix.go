//go:build unix

package group

import (
	"os/exec"
	"syscall"
)

// Own has cmd start in a process group of its own.
func Own(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}
