// Package pin confines this process, and those that it starts, to some CPUs.
//
// The Go runtime asks only once how many CPUs there are, and so do packages that
// decide by it whether to spin. So the process is not moved while it runs: it sets
// the CPUs of one kernel thread and starts itself again from there, by execve. What
// runs then is in every respect what "taskset -c LIST bench ..." would have started,
// and peers inherit it.
package pin
