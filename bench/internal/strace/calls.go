package strace

import (
	"fmt"
	"strconv"
	"strings"
)

// A call is what a column counts.
type call struct {
	name  string   // in the metric and above the column
	names []string // of the system calls; those that an architecture has not are left out by strace
}

// calls are the columns: memory, threads, and the signal mask, which ucontext saves
// at each switch.
var calls = []call{
	{"mmap", []string{"mmap"}},
	{"munmap", []string{"munmap"}},
	{"mprotect", []string{"mprotect"}},
	{"madvise", []string{"madvise"}},
	{"clone", []string{"clone", "clone3"}},
	{"futex", []string{"futex"}},
	{"sigmask", []string{"rt_sigprocmask"}},
}

// metric is the name of the metric that counts the calls.
func (c call) metric() string { return c.name + "_calls" }

// filter is strace's expression for all of them. A question mark lets it pass over
// one that it does not know.
func filter() string {
	var names []string
	for _, c := range calls {
		for _, n := range c.names {
			names = append(names, "?"+n)
		}
	}
	return "trace=" + strings.Join(names, ",")
}

// counts are numbers of calls, by metric.
type counts map[string]float64

// parse reads strace's summary:
//
//	% time     seconds  usecs/call     calls    errors syscall
//	------ ----------- ----------- --------- --------- ----------------
//	 99.54    1.000000          37     27000         2 futex
//	  0.46    0.004600          46       100           mmap
//	------ ----------- ----------- --------- --------- ----------------
//	100.00    1.004600          37     27100         2 total
//
// Without any call it is empty.
func parse(summary string) (counts, error) {
	c := counts{}
	for _, call := range calls {
		c[call.metric()] = 0
	}
	for line := range strings.Lines(summary) {
		f := strings.Fields(line)
		if len(f) < 5 || strings.HasPrefix(f[0], "-") || f[0] == "%" || f[len(f)-1] == "total" {
			continue
		}
		n, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			return nil, fmt.Errorf("strace says %q", strings.TrimSpace(line))
		}
		for _, call := range calls {
			for _, name := range call.names {
				if name == f[len(f)-1] {
					c[call.metric()] += n
				}
			}
		}
	}
	return c, nil
}

// per returns what each of n operations has called, if c is of n operations more
// than base is. What is less than nothing, by calls that come and go with the time,
// is nothing.
func (c counts) per(n int, base counts) counts {
	out := counts{}
	for name := range c {
		out[name] = max(0, c[name]-base[name]) / float64(n)
	}
	return out
}
