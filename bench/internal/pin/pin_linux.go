package pin

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Allowed returns the CPUs that this process may use, in ascending order.
func Allowed() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, os.NewSyscallError("sched_getaffinity", err)
	}
	var cpus []int
	for cpu := range maxCPU + 1 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// restart starts this program again on the CPUs, with one more variable in its
// environment. It returns only if it fails.
func restart(cpus []int, variable string) error {
	// What execve starts has the CPUs of the kernel thread that calls it.
	// The link leads to this program even if its file is gone.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("CPU %s: %w", Format(cpus), os.NewSyscallError("sched_setaffinity", err))
	}
	return os.NewSyscallError("execve", unix.Exec("/proc/self/exe", os.Args, append(os.Environ(), variable)))
}
