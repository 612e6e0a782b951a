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

// OwnAll is Own for a cmd that starts further processes: the end of its context kills
// all of them.
func OwnAll(cmd *exec.Cmd) {
	Own(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
