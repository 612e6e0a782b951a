package futex

import "sync/atomic"

// SharedOnce does something once among several processes. Zeroed memory holds one that has not done it yet, in 48 bytes at a
// multiple of 8. If a process dies in the middle, another does it again, from the start.
type SharedOnce struct {
	mutex SharedMutex
	done  uint32
	_     uint32
}

// Do calls f if no Do of this SharedOnce has run to its end before. It returns after that one has ended, by a panic
// too, in whatever process.
func (o *SharedOnce) Do(f func()) (err error) {
	if o.Done() {
		return nil
	}
	switch err := o.mutex.Lock(); err {
	case nil:
	case ErrOwnerDied:
		o.mutex.MarkConsistent()
	default:
		return err
	}
	defer func() {
		if e := o.mutex.Unlock(); err == nil {
			err = e
		}
	}()
	if !o.Done() {
		defer atomic.StoreUint32(&o.done, 1)
		f()
	}
	return nil
}

// Done reports whether it has been done.
func (o *SharedOnce) Done() bool { return atomic.LoadUint32(&o.done) != 0 }
