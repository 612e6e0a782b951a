package runtime

import (
	"sync"
	"sync/atomic"
	"testing"
)

// tasksOf returns n tasks with the numbers from 0 on.
func tasksOf(n int) []*task {
	all := make([]*task, n)
	for i := range all {
		all[i] = &task{id: uint64(i)}
	}
	return all
}

func TestRingIsFirstInFirstOutAndRefusesWhenFull(t *testing.T) {
	all := tasksOf(ringSize + 1)
	for _, alone := range []uint32{0, 1} {
		r := ring{alone: alone, head: 1<<32 - 100, tail: 1<<32 - 100} // they wrap around
		for range 3 {
			if r.pop() != nil || !r.empty() {
				t.Fatal("an empty ring has one")
			}
			for i, task := range all {
				if ok := r.push(task); ok != (i < ringSize) {
					t.Fatalf("push to a ring of %d: %v", i, ok)
				}
			}
			if r.length() != ringSize {
				t.Fatalf("length %d", r.length())
			}
			for i := range ringSize {
				if task := r.pop(); task != all[i] {
					t.Fatalf("the %dth is %v", i, task)
				}
			}
		}
	}
}

func TestStealTakesTheOlderHalf(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100, 255, ringSize} {
		all := tasksOf(n)
		var victim, thief ring
		for _, task := range all {
			victim.push(task)
		}
		stolen := 0
		for task := thief.steal(&victim); task != nil; task = thief.pop() {
			if task != all[stolen] {
				t.Fatalf("of %d, the %dth that was stolen is %d", n, stolen, task.id)
			}
			stolen++
		}
		if stolen != (n+1)/2 || victim.length() != n/2 {
			t.Errorf("of %d, %d were stolen, and %d are left", n, stolen, victim.length())
		}
	}
}

// TestRingUnderThieves: each is taken once, by its owner or by one of the thieves.
func TestRingUnderThieves(t *testing.T) {
	watch(t)
	all := tasksOf(rounds(200_000))
	taken := make([]atomic.Int32, len(all))
	var victim ring
	var stop atomic.Bool
	var thieves sync.WaitGroup
	for range 2 {
		thieves.Go(func() {
			var mine ring
			for !stop.Load() {
				for task := mine.steal(&victim); task != nil; task = mine.pop() {
					taken[task.id].Add(1)
				}
			}
		})
	}
	for i, task := range all {
		for !victim.push(task) {
			if other := victim.pop(); other != nil {
				taken[other.id].Add(1)
			}
		}
		if i%3 == 0 {
			if other := victim.pop(); other != nil {
				taken[other.id].Add(1)
			}
		}
	}
	for task := victim.pop(); task != nil; task = victim.pop() {
		taken[task.id].Add(1)
	}
	stop.Store(true)
	thieves.Wait()
	for i := range taken {
		if n := taken[i].Load(); n != 1 {
			t.Fatalf("task %d was taken %d times", i, n)
		}
	}
}

// TestFullRingOverflowsToTheGlobalQueue wakes more threads at once than the ring of the only
// carrier holds.
func TestFullRingOverflowsToTheGlobalQueue(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	const n = 3 * ringSize
	threads := make([]*Thread, n)
	for i := range threads {
		threads[i] = start(t, r, Park)
	}
	for _, th := range threads {
		for th.Waits() != WaitPark {
			Yield()
		}
	}
	join(t, start(t, r, func() {
		for _, th := range threads {
			th.Unpark()
		}
		c := Current().task.carrier
		here, global := c.waiting(), r.global.length()
		if here > ringSize+1 || global == 0 || here+global != n {
			t.Errorf("of %d threads that are ready, %d are on their carrier, and %d in the global queue", n, here, global)
		}
	}))
	join(t, threads...)
}

// TestPrefetchWhileThievesEmptyTheRing: they may do that between any two steps of the owner, also
// when most of the places were never used.
func TestPrefetchWhileThievesEmptyTheRing(t *testing.T) {
	var victim ring
	for _, task := range tasksOf(deepRing + 1) {
		victim.push(task)
	}
	head, deep := victim.deep()
	if !deep {
		t.Fatalf("a ring of %d is not deep", victim.length())
	}
	stolen := 0
	for {
		var thief ring
		if thief.steal(&victim) == nil {
			break
		}
		stolen += 1 + thief.length()
		victim.prefetch(head)
	}
	if _, deep := victim.deep(); deep || stolen != deepRing+1 {
		t.Errorf("%d of %d were stolen", stolen, deepRing+1)
	}
}
