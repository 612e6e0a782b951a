package futex

import "sync/atomic"

// Once does something once, in a process, in twelve bytes of any memory. The zero Once has not done it yet. It must not be
// copied after first use.
type Once struct {
	mutex Mutex
	done  uint32
}

// Do calls f if no Do of this Once has been called before. It returns after that call has ended, by a panic too, whoever
// made it.
func (o *Once) Do(f func()) {
	if atomic.LoadUint32(&o.done) != 0 {
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.done == 0 {
		defer atomic.StoreUint32(&o.done, 1)
		f()
	}
}

// Done reports whether it has been done.
func (o *Once) Done() bool { return atomic.LoadUint32(&o.done) != 0 }
