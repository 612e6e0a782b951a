// Stands in until deadlock.go is here, which replaces it.

package runtime

import "errors"

var ErrDeadlock = errors.New("greenthread: deadlock")

type DeadlockError struct {
	Threads int
	Dump    []byte
}

func (e *DeadlockError) Error() string        { return "deadlock" }
func (e *DeadlockError) Is(target error) bool { return target == ErrDeadlock }
