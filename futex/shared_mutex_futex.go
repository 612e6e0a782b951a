//go:build linux && !futexportable

package futex

import "sync/atomic"

// try takes the lock if nobody owns it, and knows whether its last owner died.
func (m *SharedMutex) try(slept bool) (got bool, err error) {
	if atomic.LoadUint32(&m.word)&TIDMask != 0 || !slept && m.isShut() {
		return false, nil
	}
	if err := m.check(); err != nil {
		return false, err
	}
	old, got, err := m.take(slept)
	switch {
	case !got || err != nil:
		return false, err
	case atomic.LoadUint32(&m.state) == givenUp:
		if err := m.Unlock(); err != nil {
			return false, err
		}
		return false, ErrNotRecoverable
	case old&OwnerDied != 0:
		atomic.StoreUint32(&m.state, inconsistent)
		return true, ErrOwnerDied
	}
	return true, nil
}

// check refuses a place at which the kernel could not follow the links.
func (m *SharedMutex) check() error {
	if address(&m.link)%8 != 0 {
		return &AddressError{Op: "lock", Addr: uintptr(address(&m.link)) - 8, Err: errUnaligned8}
	}
	return nil
}

// take makes this process the owner, and returns what the word was before.
func (m *SharedMutex) take(slept bool) (old uint32, got bool, err error) {
	registry.Lock()
	defer registry.Unlock()
	c, err := pick()
	if err != nil {
		return 0, false, err
	}
	m.sign(registry.space)
	c.announce(&m.link)
	defer c.announce(nil)
	for {
		old = atomic.LoadUint32(&m.word)
		if old&TIDMask != 0 {
			return old, false, nil
		}
		now := c.tid | old&Waiters
		if slept {
			now |= Waiters
		}
		if atomic.CompareAndSwapUint32(&m.word, old, now) {
			c.add(&m.link)
			return old, true, nil
		}
	}
}

// sign notes from which PID namespace the lock is used, before it is taken: so if only one is noted, every owner's id is of that.
func (m *SharedMutex) sign(space uint32) {
	for {
		switch was := atomic.LoadUint32(&m.space); {
		case was == space, was == manySpaces:
			return
		case was == 0 && atomic.CompareAndSwapUint32(&m.space, 0, space):
			return
		case was != 0:
			atomic.StoreUint32(&m.space, manySpaces)
		}
	}
}

// release ends the ownership, and returns how many have to be woken.
func (m *SharedMutex) release() (wake int, err error) {
	registry.Lock()
	defer registry.Unlock()
	c := m.owner()
	if c == nil {
		return 0, ErrNotOwner
	}
	wake = 1
	if atomic.CompareAndSwapUint32(&m.state, inconsistent, givenUp) || atomic.LoadUint32(&m.state) == givenUp {
		wake = WakeAll // all of them have to hear of it
	}
	c.announce(&m.link)
	defer c.announce(nil)
	c.remove(&m.link)
	if atomic.AndUint32(&m.word, Waiters)&Waiters == 0 {
		wake = 0
	}
	return wake, nil
}

// owner returns the custodian that stands for this process in the word, nil if none does. The caller has the registry.
func (m *SharedMutex) owner() *custodian {
	owner := atomic.LoadUint32(&m.word) & TIDMask
	for _, c := range registry.custodians {
		if c.tid == owner {
			return c
		}
	}
	return nil
}

// owned reports whether this process owns the lock.
func (m *SharedMutex) owned() bool {
	registry.Lock()
	defer registry.Unlock()
	return m.owner() != nil
}

// lookForOwner does what the kernel should have done, if the owner is gone and the kernel did not know.
func (m *SharedMutex) lookForOwner(word uint32) {
	owner, space := word&TIDMask, atomic.LoadUint32(&m.space)
	registry.Lock()
	if len(registry.custodians) == 0 {
		pick()
	}
	mine := registry.space
	registry.Unlock()
	if space == mine && mine != manySpaces && !exists(owner) {
		atomic.CompareAndSwapUint32(&m.word, word, OwnerDied|Waiters)
	}
}
