package stackpool

import "fmt"

// Usage is what a pool takes from the machine, as the kernel sees it.
type Usage struct {
	Mapped    int64 // bytes of address space
	Committed int64 // bytes of it that have rights, and count where promises are counted
	Resident  int64 // bytes of memory
	// Promised is Committed_AS, what the kernel has promised to all processes of
	// the machine, and Limit is CommitLimit, which holds if Strict is set
	// (vm.overcommit_memory is 2).
	Promised, Limit int64
	Strict          bool
}

// Usage asks the kernel what the pool takes. It reads eight bytes per page of
// address space and holds up Gets that must grow the pool meanwhile: some 10 ms for
// 10,000 stacks. The error wraps errors.ErrUnsupported where the system does not
// tell which pages are resident.
func (p *Pool) Usage() (Usage, error) {
	var u Usage
	if p.main == nil {
		return u, errNotMade
	}
	promised, limit, strict := p.mem.commit()
	u.Promised, u.Limit, u.Strict = int64(promised), int64(limit), strict
	p.grow.Lock()
	defer p.grow.Unlock()
	for _, c := range p.all() {
		u.Mapped += int64(c.mapped)
		u.Committed += int64(c.committed)
		for _, a := range c.arenas {
			if a.cut == 0 {
				continue
			}
			n, err := p.mem.resident(a.base, uintptr(a.cut)*c.geometry.stride)
			if err != nil {
				return u, fmt.Errorf("stackpool: pool %q: usage: %w", p.name, err)
			}
			u.Resident += int64(n)
		}
	}
	return u, nil
}
