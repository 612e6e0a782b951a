package disasm

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"greenthread/asm"
	green "greenthread/runtime"
)

// A Report is what bench disasm shows.
type Report struct {
	Arch string `json:"arch"`
	Go   string `json:"go"`

	// Coroutine is the way there and back of a coroutine, the short way: Resume,
	// up to where it calls the assembly; the assembly; and the same of Yield. Each
	// of the two ways is a switch.
	Coroutine []Path `json:"coroutine"`
	// OffPath is how many locked operations the assembly has besides, in the same
	// functions. They are executed while the collector marks, one after the other.
	OffPath int `json:"locked_off_path"`
	// Native are the switches of native contexts, with the floating-point control
	// words and without. Each is one way.
	Native []Path `json:"native"`
	// Notes say what is missing, and why.
	Notes []string `json:"notes"`
}

// Look decodes the switches of this program. It fails only where there is nothing
// to show.
func Look() (Report, error) {
	r := Report{Arch: runtime.GOARCH, Go: runtime.Version(), Notes: []string{}}
	for _, err := range []error{r.coroutine(), r.native()} {
		if err != nil {
			r.Notes = append(r.Notes, err.Error())
		}
	}
	if len(r.Coroutine)+len(r.Native) == 0 {
		return r, errors.New(r.Notes[0])
	}
	return r, nil
}

// coroutine looks at a round trip of a coroutine.
func (r *Report) coroutine() error {
	if err := asm.Check(); err != nil {
		return fmt.Errorf("coroutines are not switched in assembly: %w", err)
	}
	if !asm.ShortWay {
		r.Notes = append(r.Notes, "this build does not use the short way: that of the race detector goes the plain one")
	}
	type C = green.Coroutine[int, int]
	type Y = green.Yielder[int, int]
	for _, leg := range []struct {
		name     string
		function any
		via      *func(*asm.Context)
	}{
		{"Resume", (*C).Resume, &asm.EnterShort},
		{"Yield", Y.Yield, &asm.LeaveShort},
	} {
		p, err := goPath(leg.name+", Go code before the switch", leg.function, uint64(uintptr(unsafe.Pointer(leg.via))))
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("the Go code of %s is not shown: %v", leg.name, err))
		} else {
			r.Coroutine = append(r.Coroutine, p)
		}
		p, err = follow(leg.name+", the switch", uint64(reflect.ValueOf(*leg.via).Pointer()))
		if err != nil {
			return err
		}
		off, err := offPath(p)
		if err != nil {
			return err
		}
		r.OffPath += off
		r.Coroutine = append(r.Coroutine, p)
	}
	return nil
}

// goPath returns the path of a Go function up to its call of the func variable at
// the address via.
func goPath(title string, function any, via uint64) (Path, error) {
	p, err := follow(title, body(uint64(reflect.ValueOf(function).Pointer())))
	if err == nil && !p.reads(via) {
		err = errors.New("it does not lead straight to the assembly")
	}
	return p, err
}

// body returns the entry of the code behind that of a generic function of some
// type, which may only add an argument and call what all types share.
func body(entry uint64) uint64 {
	name, _ := symbol(entry)
	for pc, n := entry, 0; n < maxPath; n++ {
		in, err := decode(pc)
		if err != nil || in.flow == back || in.flow == away {
			break
		}
		if callee, _ := symbol(in.target); in.flow == call && callee == name {
			return in.target
		}
		pc += uint64(in.Length)
	}
	return entry
}

// offPath counts the locked operations of the path's functions that are not on it.
func offPath(p Path) (locked int, err error) {
	on, seen := map[uint64]bool{}, map[uint64]bool{}
	var entries []uint64
	for _, in := range p.Code {
		on[in.entry+in.Offset] = true
		if !seen[in.entry] {
			seen[in.entry] = true
			entries = append(entries, in.entry)
		}
	}
	for _, entry := range entries {
		for pc := entry; ; {
			f := runtime.FuncForPC(uintptr(pc))
			if f == nil || uint64(f.Entry()) != entry {
				break
			}
			in, err := decode(pc)
			if err != nil {
				return 0, err
			}
			if in.Locked && !on[pc] {
				locked++
			}
			pc += uint64(in.Length)
		}
	}
	return locked, nil
}

// native looks at the switches of native contexts.
func (r *Report) native() error {
	for _, way := range []struct {
		title string
		entry uintptr
	}{
		{"SwapContext", asm.SwapContextAddress()},
		{"SwapRegisters", asm.SwapRegistersAddress()},
	} {
		if way.entry == 0 {
			return fmt.Errorf("there are no native contexts on %s/%s", runtime.GOOS, runtime.GOARCH)
		}
		p, err := follow(way.title+", one way", uint64(way.entry))
		if err != nil {
			return err
		}
		r.Native = append(r.Native, p)
	}
	return nil
}
