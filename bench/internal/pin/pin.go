package pin

import (
	"fmt"
	"os"
	"slices"
)

// startedVariable is set in the process that To has started: there, nothing is left
// to be done.
const startedVariable = "GREENTHREAD_BENCH_PINNED"

// To confines this process to the CPUs of the list. If it has more, To starts the
// program again with the same arguments and does not return; if it has just these,
// To returns nil. A list that cannot be served is an error, which names the CPUs
// that there are.
func To(list string) error {
	wanted, err := Parse(list)
	if err != nil {
		return err
	}
	allowed, err := Allowed()
	if err != nil {
		return err
	}
	for _, cpu := range wanted {
		if !slices.Contains(allowed, cpu) {
			return fmt.Errorf("this process may not use CPU %d: it may use %s", cpu, Format(allowed))
		}
	}
	if slices.Equal(wanted, allowed) {
		return nil
	}
	if os.Getenv(startedVariable) == list {
		return fmt.Errorf("the system has not confined this process to CPU %s: it may use %s", list, Format(allowed))
	}
	return restart(wanted, startedVariable+"="+list)
}
