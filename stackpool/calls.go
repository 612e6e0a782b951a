package stackpool

import "sync/atomic"

// counted counts the system calls that change memory; Stats tells their number.
type counted struct {
	memory
	calls *atomic.Uint64
}

func (m counted) reserve(length uintptr, a access, h HugePages) (uintptr, error) {
	m.calls.Add(1)
	return m.memory.reserve(length, a, h)
}

func (m counted) unmap(addr, length uintptr) error {
	m.calls.Add(1)
	return m.memory.unmap(addr, length)
}

func (m counted) protect(addr, length uintptr, a access) error {
	m.calls.Add(1)
	return m.memory.protect(addr, length, a)
}

func (m counted) advise(addr, length uintptr, a advice) error {
	m.calls.Add(1)
	return m.memory.advise(addr, length, a)
}

// adviseAll counts one: where there is no call for many pieces, it is too few.
func (m counted) adviseAll(pieces []span, a advice) error {
	m.calls.Add(1)
	return m.memory.adviseAll(pieces, a)
}
