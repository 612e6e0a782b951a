package pin

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// Start starts cmd on these CPUs, of which this process must be allowed to use
// some, and stays where it is itself. With no CPUs it only starts cmd.
func Start(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return cmd.Start()
	}
	// A new process has the CPUs of the kernel thread that starts it.
	runtime.LockOSThread()
	var before, wanted unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return os.NewSyscallError("sched_getaffinity", err)
	}
	for _, cpu := range cpus {
		wanted.Set(cpu)
	}
	err := unix.SchedSetaffinity(0, &wanted)
	if err != nil {
		err = fmt.Errorf("CPU %s: %w", Format(cpus), os.NewSyscallError("sched_setaffinity", err))
	} else {
		err = cmd.Start()
	}
	if e := unix.SchedSetaffinity(0, &before); e != nil {
		// The thread is not fit for anything else: locked, it ends with its goroutine.
		return errors.Join(err, os.NewSyscallError("sched_setaffinity", e))
	}
	runtime.UnlockOSThread()
	return err
}

// Thread confines the kernel thread of the calling goroutine, which must be locked
// to it, to one CPU. It is not to be unlocked afterwards.
func Thread(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("CPU %d: %w", cpu, os.NewSyscallError("sched_setaffinity", err))
	}
	return nil
}
