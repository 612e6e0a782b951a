package disasm

import (
	"fmt"
	"slices"
)

// Counts are what lies on a path.
type Counts struct {
	Instructions int `json:"instructions"`
	Loads        int `json:"loads"`
	Stores       int `json:"stores"`
	Locked       int `json:"locked"`
	Branches     int `json:"branches"` // conditional ones
	Bytes        int `json:"bytes"`    // of machine code
}

// plus adds another path's counts.
func (c Counts) plus(d Counts) Counts {
	return Counts{
		c.Instructions + d.Instructions, c.Loads + d.Loads, c.Stores + d.Stores,
		c.Locked + d.Locked, c.Branches + d.Branches, c.Bytes + d.Bytes,
	}
}

// A Path is a run of instructions, in the order in which they are executed.
type Path struct {
	Title string `json:"title"`
	Counts
	Code []Instruction `json:"code"`
}

// maxPath bounds a path, should the code be other than expected.
const maxPath = 500

// follow returns the path that begins at entry: straight on at branches, but past a
// single instruction, to the target at jumps, up to and including what goes away.
func follow(title string, entry uint64) (Path, error) {
	p := Path{Title: title}
	for pc := entry; len(p.Code) < maxPath; {
		in, err := decode(pc)
		if err != nil {
			return p, err
		}
		p.add(in)
		switch in.flow {
		case straight:
			pc += uint64(in.Length)
		case branch:
			pc += uint64(in.Length)
			if in.Taken {
				pc = in.target
			}
		case jump:
			pc = in.target
		case away, back:
			return p, nil
		default:
			return p, fmt.Errorf("the path leads to a call or a trap: %s: %s", place(pc), in.Text)
		}
	}
	return p, fmt.Errorf("the path from %s does not end", place(entry))
}

// add appends an instruction.
func (p *Path) add(in Instruction) {
	if in.base != nil {
		for _, earlier := range p.Code {
			if earlier.page != nil && earlier.page.register == in.base.register {
				in.data = earlier.page.value + in.base.value // of the last such one
			}
		}
	}
	p.Code = append(p.Code, in)
	c := Counts{Instructions: 1, Loads: in.Loads, Stores: in.Stores, Bytes: in.Length}
	if in.Locked {
		c.Locked = 1
	}
	if in.flow == branch {
		c.Branches = 1
	}
	p.Counts = p.Counts.plus(c)
}

// reads reports whether the path loads the variable at the address.
func (p Path) reads(address uint64) bool {
	return slices.ContainsFunc(p.Code, func(in Instruction) bool { return in.data == address })
}
