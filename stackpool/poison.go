package stackpool

import "unsafe"

// PoisonByte is what Config.Poison fills returned stacks with. As an address,
// 0xdbdbdbdbdbdbdbdb faults on all architectures that Go knows; as an instruction
// on amd64 it loads a constant and runs on into the guard.
const PoisonByte = 0xdb

// fill poisons a stack, from the lowest page that has memory upwards. Where the
// system does not tell which that is, it takes all of it.
func (p *Pool) fill(s *Stack) {
	bottom := s.Bottom()
	lowest, err := p.mem.lowestTouched(bottom, s.top)
	if err != nil {
		lowest = bottom
	}
	b := unsafe.Slice((*byte)(foreign(lowest)), s.top-lowest)
	for i := range b {
		b[i] = PoisonByte
	}
}
