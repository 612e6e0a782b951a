package stackpool

import (
	"cmp"
	"slices"
)

// depot is the shared cache of a size class, behind the magazines. The lock of the
// class guards it.
//
// It has three lists. Warm stacks have memory: they are taken first, in the order
// that was configured. Cold ones have given theirs back, and are taken next. Odd
// ones have a guard of an unusual size, and are taken last, since that must be
// changed first.
//
// Room for all warm stacks, and an eighth more so that the list seldom has to be
// moved to the beginning of its room, is reserved when a slot is cut: push never
// allocates and so never fails.
type depot struct {
	order Order
	warm  []*Stack // LIFO and FIFO: the newest last; LowestFirst: a heap
	head  int      // where warm begins, not LowestFirst
	cold  []*Stack // as warm, but the last is taken first with FIFO too
	odd   []*Stack
}

// len returns how many stacks are cached.
func (d *depot) len() int { return len(d.warm) - d.head + len(d.cold) + len(d.odd) }

// warmth returns how many of them have memory.
func (d *depot) warmth() int { return len(d.warm) - d.head }

// push adds a stack that was put back just now.
func (d *depot) push(s *Stack) {
	switch {
	case s.odd:
		d.odd = append(d.odd, s)
	case s.heat == heatCold:
		d.cold = d.add(d.cold, s)
	default:
		if len(d.warm) == cap(d.warm) {
			d.rebase()
		}
		d.warm = d.add(d.warm, s)
	}
}

// add puts a stack on a list.
func (d *depot) add(list []*Stack, s *Stack) []*Stack {
	list = append(list, s)
	if d.order == LowestFirst {
		rise(list)
	}
	return list
}

// pop takes the next one, nil if there is none. The places above the new ends
// keep their pointers: descriptors are held by their arenas anyway.
func (d *depot) pop() *Stack {
	warm, cold, odd := d.warmth(), len(d.cold), len(d.odd)
	if d.order == LowestFirst && warm > 0 && cold > 0 && d.cold[0].top < d.warm[0].top {
		warm = 0
	}
	var s *Stack
	switch {
	case warm > 0 && d.order == FIFO:
		s = d.warm[d.head]
		if d.head++; d.head == len(d.warm) {
			d.warm, d.head = d.warm[:0], 0
		}
	case warm > 0:
		d.warm, s = d.take(d.warm)
		if d.head == len(d.warm) {
			d.warm, d.head = d.warm[:0], 0
		}
	case cold > 0:
		d.cold, s = d.take(d.cold)
	case odd > 0:
		s, d.odd = d.odd[odd-1], d.odd[:odd-1]
	}
	return s
}

// take takes from the end of a list, or from the root of a heap.
func (d *depot) take(list []*Stack) ([]*Stack, *Stack) {
	n := len(list) - 1
	if d.order == LowestFirst {
		list[0], list[n] = list[n], list[0]
		sink(list[:n])
	}
	return list[:n], list[n]
}

// popSome takes up to len(into) stacks, the next one first, and stops before an
// odd one unless it is the first.
func (d *depot) popSome(into []*Stack) int {
	n := 0
	for n < len(into) && (n == 0 || d.len() > len(d.odd)) {
		s := d.pop()
		if s == nil {
			break
		}
		into[n] = s
		n++
	}
	return n
}

// reserve makes room for so many warm stacks in all.
func (d *depot) reserve(total int) {
	if total+total/8 <= cap(d.warm) {
		return
	}
	room := make([]*Stack, d.warmth(), max(64, 2*total))
	copy(room, d.warm[d.head:])
	d.warm, d.head = room, 0
}

// rebase moves the list to the beginning of its room.
func (d *depot) rebase() {
	if d.head > 0 {
		n := copy(d.warm, d.warm[d.head:])
		d.warm, d.head = d.warm[:n], 0
	}
}

// takeOldest removes all stacks but those keep that would be taken first (with
// FIFO: that were put back last) and appends them to into, the oldest first.
func (d *depot) takeOldest(keep int, into []*Stack) []*Stack {
	d.sort()
	warm := min(keep, len(d.warm))
	cold := min(keep-warm, len(d.cold))
	odd := min(keep-warm-cold, len(d.odd))
	into = cutFront(&d.odd, odd, into)
	into = cutFront(&d.cold, cold, into)
	into = cutFront(&d.warm, warm, into)
	d.unsort()
	return into
}

// coldest returns a stack without memory, nil if there is none.
func (d *depot) coldest() *Stack {
	switch {
	case len(d.cold) > 0:
		return d.cold[0]
	case len(d.odd) > 0:
		return d.odd[0]
	}
	return nil
}

// takeCold removes all stacks without memory, and the odd ones, and appends them to
// into.
func (d *depot) takeCold(into []*Stack) []*Stack {
	into = cutFront(&d.odd, 0, into)
	return cutFront(&d.cold, 0, into)
}

// takeArena removes all stacks of one arena and appends them to into.
func (d *depot) takeArena(a *arena, into []*Stack) []*Stack {
	d.sort()
	for _, list := range []*[]*Stack{&d.odd, &d.cold, &d.warm} {
		others := (*list)[:0]
		for _, s := range *list {
			if s.arena == a {
				into = append(into, s)
			} else {
				others = append(others, s)
			}
		}
		clear((*list)[len(others):])
		*list = others
	}
	d.unsort()
	return into
}

// takeTail removes the n newest warm stacks and appends them to into, the oldest
// first; with LowestFirst it is those with the highest addresses.
func (d *depot) takeTail(n int, into []*Stack) []*Stack {
	n = min(n, d.warmth())
	first := len(d.warm) - n
	if d.order == LowestFirst {
		slices.SortFunc(d.warm, func(a, b *Stack) int { return cmp.Compare(a.top, b.top) })
	}
	into = append(into, d.warm[first:]...)
	d.warm = d.warm[:first]
	return into
}

// takeHead removes warm stacks, the oldest first but for so many that are skipped,
// until into is full, and returns how many. Not with LowestFirst.
func (d *depot) takeHead(skip int, into []*Stack) int {
	list := d.warm[d.head:]
	skip = min(skip, len(list))
	n := copy(into, list[skip:])
	copy(list[n:], list[:skip])
	d.head += n
	return n
}

// putBack returns to the depot what takeHead has taken from it, if possible without
// moving all the others.
func (d *depot) putBack(stacks []*Stack) {
	var warm []*Stack
	for _, s := range stacks {
		if s.heat == heatCold || s.odd {
			d.push(s)
		} else {
			warm = append(warm, s)
		}
	}
	if n := len(warm); d.order != LowestFirst && n <= d.head && n < len(d.warm) {
		d.head -= n
		copy(d.warm[d.head:], warm)
		return
	}
	d.putOldest(warm)
}

// cutFront moves all but the last keep stacks of a list to into.
func cutFront(list *[]*Stack, keep int, into []*Stack) []*Stack {
	l := *list
	n := len(l) - keep
	into = append(into, l[:n]...)
	copy(l, l[n:])
	clear(l[keep:cap(l)]) // so that no descriptor outlives its arena here
	*list = l[:keep]
	return into
}

// putOldest puts stacks behind all others, in the order in which they were taken.
func (d *depot) putOldest(stacks []*Stack) {
	d.sort()
	warm, cold, odd := 0, 0, 0
	for _, s := range stacks {
		var list *[]*Stack
		var at *int
		switch {
		case s.odd:
			list, at = &d.odd, &odd
		case s.heat == heatCold:
			list, at = &d.cold, &cold
		default:
			list, at = &d.warm, &warm
		}
		*list = append(*list, s)
		*at++
	}
	rotate(d.odd, odd)
	rotate(d.cold, cold)
	rotate(d.warm, warm)
	d.unsort()
}

// rotate moves the last n of a list to its front.
func rotate(list []*Stack, n int) {
	if n == 0 || n == len(list) {
		return
	}
	slices.Reverse(list[:len(list)-n])
	slices.Reverse(list[len(list)-n:])
	slices.Reverse(list)
}

// sort makes plain lists of what may be heaps, the one to be taken first last.
func (d *depot) sort() {
	d.rebase()
	if d.order == LowestFirst {
		falling := func(a, b *Stack) int { return cmp.Compare(b.top, a.top) }
		slices.SortFunc(d.warm, falling)
		slices.SortFunc(d.cold, falling)
	}
}

// unsort makes heaps of the lists again, where they are some: those that rise
// are.
func (d *depot) unsort() {
	if d.order == LowestFirst {
		rising := func(a, b *Stack) int { return cmp.Compare(a.top, b.top) }
		slices.SortFunc(d.warm, rising)
		slices.SortFunc(d.cold, rising)
	}
}

// rise restores a heap whose last element is new.
func rise(h []*Stack) {
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].top <= h[i].top {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// sink restores a heap whose first element is new.
func sink(h []*Stack) {
	for i := 0; ; {
		low := 2*i + 1
		if low >= len(h) {
			return
		}
		if right := low + 1; right < len(h) && h[right].top < h[low].top {
			low = right
		}
		if h[i].top <= h[low].top {
			return
		}
		h[i], h[low] = h[low], h[i]
		i = low
	}
}
