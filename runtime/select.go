package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

// Select waits until one of the cases can be done, does it, and returns its index. Of
// several that can be done at once it picks one at random, each with the same chance; with
// DefaultCase among the cases it does not wait. With no cases it waits for ever.
//
//	switch green.Select(in.RecvCase(&v, &ok), out.SendCase(1), green.AfterCase(time.Second)) {
//	case 0: // v was received, or in is closed
//	case 1: // 1 was sent
//	case 2: // a second has passed
//	}
//
// A nil Chan is never ready. Select panics as Send does if it picks a send to a closed
// channel, and for a case that is nil or a second DefaultCase.
//
// It takes the locks of all channels at once, and those that it has waited at once more,
// one after the other. It allocates nothing for up to 8 cases, but a Case is an allocation,
// unless it is used again; so is a wait with AfterCase, and one with DoneCase.
func Select(cases ...Case) int {
	point()
	var pollRoom, lockRoom [selectRoom]int
	poll, locks := pollRoom[:0], lockRoom[:0] // the order in which to try, and to lock
	fallback := -1
	for i, c := range cases {
		switch c.(type) {
		case nil:
			panic(fmt.Sprintf("greenthread: case %d of Select is nil", i))
		case defaultCase:
			if fallback >= 0 {
				panic(fmt.Sprintf("greenthread: cases %d and %d of Select are both DefaultCase", fallback, i))
			}
			fallback = i
			continue
		}
		if c.guard() != nil {
			locks = append(locks, i)
		}
		poll = append(poll, i)
		j, last := randomN(len(poll)), len(poll)-1
		poll[j], poll[last] = poll[last], poll[j]
	}
	slices.SortFunc(locks, func(i, j int) int { return cmp.Compare(place(cases[i]), place(cases[j])) })

	lockAll(cases, locks)
	for _, i := range poll {
		if done, partner := cases[i].try(); done {
			unlockAll(cases, locks)
			if partner != nil {
				partner.wake()
			}
			cases[i].finish()
			return i
		}
	}
	if fallback >= 0 {
		unlockAll(cases, locks)
		return fallback
	}
	w := enlist()
	w.begin()
	for _, i := range locks {
		cases[i].line(w, codeGranted+uint32(i))
	}
	unlockAll(cases, locks)
	winner := w.waitForOne(cases)
	for _, i := range locks {
		if i != winner {
			cases[i].guard().lock()
			cases[i].leave()
		}
	}
	w.discharge()
	cases[winner].finish()
	return winner
}

const selectRoom = 8

// waitForOne waits until one of the cases is done, and returns its index.
func (w *waiter) waitForOne(cases []Case) int {
	seq := w.state.Load() >> waitSeqShift
	var l limit
	timer := -1
	for i, c := range cases {
		switch c := c.(type) {
		case afterCase:
			if timer < 0 || c.d < l.after {
				timer, l.timed, l.after = i, true, c.d
			}
		case doneCase:
			if c.ctx.Done() != nil {
				defer w.onDone(c.ctx, seq, codeGranted+uint32(i))()
			}
		}
	}
	if code := w.waitFor(l, WaitSelect); code != codeTimeout {
		return int(code - codeGranted)
	}
	return timer
}

// All who lock several channels do it in the order of their addresses.
func place(c Case) uintptr { return uintptr(unsafe.Pointer(c.guard())) }

func lockAll(cases []Case, locks []int) {
	var last *spin
	for _, i := range locks {
		if g := cases[i].guard(); g != last {
			g.lock()
			last = g
		}
	}
}

func unlockAll(cases []Case, locks []int) {
	var last *spin
	for _, i := range locks {
		if g := cases[i].guard(); g != last {
			g.unlock()
			last = g
		}
	}
}
