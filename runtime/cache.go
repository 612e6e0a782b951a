package runtime

import (
	"fmt"
	"sync"
	"sync/atomic"

	"greenthread/asm"
	"greenthread/stackpool"
)

// A cache keeps the idle threads on the stacks of one pool, last in first out.
type cache struct {
	stacks *stackpool.Pool
	own    bool // the pool was made by this package

	mu   sync.Mutex
	idle []*thread

	// hot has threads that Do finds without the lock: each belongs to its slot,
	// and is taken and given back by its context's claim word.
	hot [hotSlots]atomic.Pointer[thread]
}

// hotSlots is how many kernel threads find a hot thread of their own, if their
// hashes differ.
const hotSlots = 16

// maxIdle is how many idle threads a cache keeps: after a burst the others end
// and their stacks go back to the pool.
const maxIdle = 16 << 10

// get returns an idle thread, or a new one.
func (c *cache) get() (*thread, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		t := c.idle[n-1]
		c.idle[n-1] = nil
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return t, nil
	}
	c.mu.Unlock()
	return newNative(c)
}

// claim returns a hot thread, if the slot of this kernel thread has one that is
// idle, or another one; hot says so.
func (c *cache) claim() (*thread, error) {
	slot := &c.hot[asm.ThreadHash()%hotSlots]
	t := slot.Load()
	if t != nil && t.ctx.Claim() {
		return t, nil
	}
	if asm.InBubble() {
		return nil, ErrBubble // a new thread would belong to the bubble for good
	}
	other, err := c.get()
	if err == nil && t == nil {
		other.hot = true
		if !slot.CompareAndSwap(nil, other) {
			other.hot = false
		}
	}
	return other, err
}

// renew makes t, whose function has ended, fit for another one; it reports false
// if it must be dismissed.
func (t *thread) renew() bool {
	t.fn, t.labels, t.failure = nil, nil, nil
	t.ctx.Unlink()
	if t.abandoned {
		t.abandoned = false
		t.ctx.Rewind()
		t.retire = t.retire || raceEnabled // the detector's own call stack was not unwound
	}
	if t.ctx.Opened() { // it left from the very part of the stack that is to be closed
		t.rearm()
	}
	return !t.retire
}

// put takes back a thread whose function has ended.
func (c *cache) put(t *thread) {
	if t.renew() {
		if t.hot {
			t.ctx.Disclaim()
			return
		}
		c.mu.Lock()
		if len(c.idle) < maxIdle {
			c.idle = append(c.idle, t)
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
	}
	t.dismiss()
}

// cool takes the hot threads that are idle out of their slots.
func (c *cache) cool() {
	for i := range c.hot {
		if t := c.hot[i].Load(); t != nil && t.ctx.Claim() {
			c.hot[i].Store(nil)
			t.hot = false
			c.mu.Lock()
			c.idle = append(c.idle, t)
			c.mu.Unlock()
		}
	}
}

// dismiss ends an idle thread: its goroutine goes back to its own stack and
// returns, and the pooled stack goes back to its pool.
func (t *thread) dismiss() {
	if t.hot {
		for i := range t.cache.hot {
			t.cache.hot[i].CompareAndSwap(t, nil)
		}
	}
	t.retire = true
	t.ctx.Ready()
}

// trim ends the idle threads but keep of them.
func (c *cache) trim(keep int) int {
	c.cool()
	c.mu.Lock()
	keep = min(max(keep, 0), len(c.idle))
	drop := append([]*thread(nil), c.idle[keep:]...)
	clear(c.idle[keep:])
	c.idle = c.idle[:keep]
	c.mu.Unlock()
	for _, t := range drop {
		t.dismiss()
	}
	return len(drop)
}

var (
	cachesMu sync.Mutex
	bySize   = map[int]*cache{}             // the pools that this package makes
	byPool   = map[*stackpool.Pool]*cache{} // all
)

// stacksOf returns the cache of the default pool of stacks of that size in
// bytes; 0 is DefaultStackSize.
func stacksOf(size int) (*cache, error) {
	if size == 0 {
		size = DefaultStackSize
	}
	cachesMu.Lock()
	defer cachesMu.Unlock()
	if c := bySize[size]; c != nil {
		return c, nil
	}
	// Threads that take turns have the tops of their stacks in cache at the same time.
	// With 16 colours a Yield among 1,000 took 39 to 46 ns, without 54 to 57 (EPYC), and
	// a suspended thread 120 bytes more; with 64, it was no faster, and 400 bytes more.
	p, err := stackpool.New(stackpool.Config{Size: size, Colours: 16})
	if err != nil {
		return nil, err
	}
	c := &cache{stacks: p, own: true}
	bySize[size], byPool[p] = c, c
	return c, nil
}

// cacheOf returns the cache of what c asks for.
func cacheOf(c *config) (*cache, error) {
	if c.pool == nil {
		return stacksOf(c.size)
	}
	cachesMu.Lock()
	defer cachesMu.Unlock()
	k := byPool[c.pool]
	if k == nil {
		if s := c.pool.Stats(); s.GuardSize < MinGuardSize || s.StackSize < MinStackSize || s.StackSize > MaxStackSize {
			return nil, fmt.Errorf("%w: a pool with stacks of %d bytes and guards of %d; they must be from %d to %d, and at least %d",
				ErrBadOption, s.StackSize, s.GuardSize, MinStackSize, MaxStackSize, MinGuardSize)
		}
		k = &cache{stacks: c.pool}
		byPool[c.pool] = k
	}
	return k, nil
}

// Trim ends idle threads until at most keep are left on the stacks of each
// size, and returns how many it has told to end; their stacks go back to the
// pools a moment later, and the memory of the pools that this package made goes
// back to the kernel with the next Trim. A negative keep is 0. It does not wait for the
// threads to end.
func Trim(keep int) int {
	cachesMu.Lock()
	caches := make([]*cache, 0, len(byPool))
	for p, c := range byPool {
		caches = append(caches, c)
		if !c.own && p.Stats().Live == 0 {
			delete(byPool, p) // its cache is made anew if it is used again
		}
	}
	own := make([]*cache, 0, len(bySize))
	for _, c := range bySize {
		own = append(own, c)
	}
	cachesMu.Unlock()
	n := 0
	for _, c := range caches {
		n += c.trim(keep)
	}
	for _, r := range runtimesOf() {
		if !r.portable {
			n += r.stable.trim(r, keep)
		}
	}
	for _, c := range own {
		_, _ = c.stacks.Trim(keep) // what the kernel refuses is tried again by the next
	}
	return n
}
