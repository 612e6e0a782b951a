package stackpool

import (
	"bytes"
	"fmt"
	"unsafe"
)

// PoisonByte is what Config.Poison fills returned stacks with. As an address,
// 0xdbdbdbdbdbdbdbdb faults on all architectures that Go knows; as an instruction
// on amd64 it loads a constant and runs on into the guard.
const PoisonByte = 0xdb

// touched returns the memory of a stack from its lowest page that has any up to
// its top. Where the system does not tell which page that is, it is all of it.
func (p *Pool) touched(s *Stack) []byte {
	bottom := s.Bottom()
	lowest, err := p.mem.lowestTouched(bottom, s.top)
	if err != nil {
		lowest = bottom
	}
	return unsafe.Slice((*byte)(foreign(lowest)), s.top-lowest)
}

// fill poisons a stack that is put back.
func (p *Pool) fill(s *Stack) {
	b := p.touched(s)
	for i := range b {
		b[i] = PoisonByte
	}
}

// inspect tells whether a stack from the cache holds what fill has left there, and
// otherwise says where not. What a policy has given back since is zero, page by
// page; so is what was never touched.
func (p *Pool) inspect(s *Stack) error {
	b := p.touched(s)
	b = b[:max(0, len(b)-int(s.top-s.Top()))]
	for len(b) > 0 {
		page := b[:min(int(pageSize), len(b))]
		b = b[len(page):]
		want, most := byte(0), bytes.Count(page, []byte{0})
		if n := bytes.Count(page, []byte{PoisonByte}); n > most {
			want, most = PoisonByte, n
		}
		if most == len(page) {
			continue
		}
		for i, is := range page {
			if is != want {
				addr := uintptr(unsafe.Pointer(&page[i]))
				return fmt.Errorf("%w: the byte at %#x, %d below the top, is %#x in place of %#x", ErrUsedAfterPut, addr, s.Top()-addr, is, want)
			}
		}
	}
	return nil
}

// accuse makes the error of a Get that met a stack which was written to in the
// cache. The stack is not lost: it goes back there, poisoned anew.
func (c *class) accuse(s *Stack, err error) error {
	err = s.fail("get", err)
	c.pool.fill(s)
	s.heat = heatWarm
	s.state.Store(stateCached)
	if e := c.give([]*Stack{s}, 1); e != nil {
		return fmt.Errorf("%w; %w", err, e)
	}
	return err
}
