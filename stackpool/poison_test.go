//go:build linux

package stackpool

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Whatever the policy has made of the memory, a write after Put is found by the next
// Get of that stack, and is told once; what nobody wrote to is not suspected.
func TestWritesAfterPutAreFoundByTheNextGet(t *testing.T) {
	page := int(pageSize)
	for _, policy := range policies() {
		for _, colours := range []int{1, 9} {
			p := newTest(t, Config{Size: 4 * page, Guard: 1, Policy: policy, Poison: true, Colours: colours, Magazine: -1})
			s := get(t, p, 1)[0]
			fill(s)
			put(t, p, s)
			for _, off := range []int{1, 70, page + 1, 4*page - 64*colours, 0} { // the last one is innocent
				if off > 0 && s.state.Load() != stateGone {
					*(*byte)(foreign(s.Top() - uintptr(off))) ^= 0x55
				}
				got, err := p.Get()
				if s.state.Load() == stateGone || off == 0 {
					if err != nil {
						t.Fatalf("%v, %d colours: %v", policy, colours, err)
					}
					s = got
				} else {
					wantErr(t, err, ErrUsedAfterPut, p.Name(), "stack 1", fmt.Sprintf("%#x, %d below the top", s.Top()-uintptr(off), off))
					if n := p.Stats(); n.Live != 0 || n.Cached != 1 {
						t.Errorf("%v: %+v", policy, n)
					}
					if s = get(t, p, 1)[0]; s.id != 1 {
						t.Errorf("%v: got %v", policy, s)
					}
				}
				s.Bytes()[s.Size()-1] = 1
				put(t, p, s)
			}
		}
	}
}

// A page that was not touched before Put, memory that Trim has taken, a stack whose
// guard has changed: also these.
func TestWritesAfterPutAreFoundWhereNoPoisonWas(t *testing.T) {
	page := int(pageSize)
	p := newTest(t, Config{Size: 4 * page, Guard: page, Poison: true, Magazine: -1, Policy: KeepAll()})
	keep, s := get(t, p, 1)[0], get(t, p, 1)[0]
	for _, touched := range []int{0, 1} {
		for _, trim := range []bool{false, true} {
			for _, guard := range []int{page, 2 * page} {
				if touched > 0 {
					s.Bytes()[s.Size()-1] = 1
				}
				if err := s.SetGuard(guard); err != nil {
					t.Fatal(err)
				}
				put(t, p, s)
				if trim {
					if _, err := p.Trim(0); err != nil {
						t.Fatal(err)
					}
				}
				*(*byte)(foreign(s.Top() - uintptr(2*page))) = 7
				_, err := p.Get()
				wantErr(t, err, ErrUsedAfterPut, "is 0x7 in place of")
				if got := get(t, p, 1)[0]; got != s {
					t.Errorf("got %v", got)
				}
			}
		}
	}
	put(t, p, s, keep)
}

// Where the system does not tell what was touched, all of it is poisoned and looked
// at.
func TestWritesAfterPutAreFoundWithoutAPageMap(t *testing.T) {
	w := watch()
	p, err := newPool(Config{Poison: true, Magazine: -1}, &onlySource{w, func(_, _ uintptr) (uintptr, error) { return 0, unix.EACCES }})
	if err != nil {
		t.Fatal(err)
	}
	s := get(t, p, 1)[0]
	put(t, p, s)
	if s.Bytes()[0] != PoisonByte {
		t.Error("not all of it is poisoned")
	}
	s.Bytes()[5] = 0
	_, err = p.Get()
	wantErr(t, err, ErrUsedAfterPut, "is 0x0 in place of 0xdb")
	put(t, p, get(t, p, 1)...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestPoisonIsNotSuspectedInTheBackground(t *testing.T) {
	p := newTest(t, Config{Poison: true, Policy: Decay(time.Millisecond)})
	for range 50 {
		stacks := get(t, p, 40)
		for _, s := range stacks {
			s.Bytes()[s.Size()-int(s.id)%s.Size()-1] = 1
		}
		put(t, p, stacks...)
		time.Sleep(time.Millisecond / 2)
	}
}
