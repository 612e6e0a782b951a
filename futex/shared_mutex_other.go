//go:build !linux || futexportable

package futex

func (m *SharedMutex) try(bool) (bool, error) { return false, errShared }

func (m *SharedMutex) release() (int, error) { return 0, errShared }

func (m *SharedMutex) owned() bool { return false }

func (m *SharedMutex) lookForOwner(uint32) {}
