package runtime

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"

	"greenthread/asm"
)

// The scheduler of the portable backend is that of the native one, but for the
// switch: each thread has a goroutine, which waits for a word on its channel while
// it is switched out. So at most as many threads as there are carriers run at a
// time there, too.

// newPortableAnchor returns an anchor that is an ordinary goroutine.
func newPortableAnchor() *thread {
	th := &thread{portable: &portable{wake: make(chan struct{}, 1)}}
	go th.portableLoop()
	return th
}

// portableLoop runs threads, one after another as long as they have not started.
func (th *thread) portableLoop() {
	p := th.portable
	<-p.wake
	number := goid()
	p.number.Store(number)
	portables.threads.Store(number, th)
	portables.count.Add(1)
	defer func() {
		portables.threads.Delete(number)
		portables.count.Add(-1)
		if th.dying {
			return
		}
		if p.wakes == nil { // runtime.Goexit
			c := th.green.carrier
			c.prev, c.then = th.green, bury
			th.leaveTo(c, nil)
		}
		p.wakes <- struct{}{}
	}()
	for {
		th.green.carrier.settle()
		if r := th.green.rt; r.bubbled {
			r.stir() // as resumed does
		}
		th.launch()
		if !th.succeed() {
			return
		}
	}
}

// hopPortable is hop between goroutines.
func (c *carrier) hopPortable(from, to *task) {
	back := c.resume
	if from != nil {
		back = from.th.portable.wake
	}
	if to != nil {
		to.th.portable.wake <- struct{}{}
	} else {
		c.resume <- struct{}{}
	}
	<-back
}

// portables finds the anchor that a goroutine is, on the portable backend.
var portables struct {
	count   atomic.Int64
	threads sync.Map // number of a goroutine to *thread
}

func currentPortable() *task {
	if th, ok := portables.threads.Load(goid()); ok {
		return loadShared(&th.(*thread).green)
	}
	return nil
}

// goid reads the number of the calling goroutine off its stack trace.
func goid() uint64 {
	var buf [64]byte
	return goroutineOf(buf[:runtime.Stack(buf[:], false)])
}

// inBubble reports whether the calling goroutine runs in a synctest bubble.
func inBubble() bool { return bubble() != 0 }

// bubble returns what tells the synctest bubble in which the calling goroutine runs from others
// that there are now; 0 if there is none.
func bubble() uintptr {
	if native() {
		return asm.Bubble()
	}
	return bubbleOfTrace()
}

// bubbleOfTrace is bubble by the first line of a stack trace, where nobody knows where Go keeps
// that: "goroutine 7 [running, synctest bubble 1]:".
func bubbleOfTrace() uintptr {
	var buf [128]byte
	line, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("\n"))
	return uintptr(numberAfter(", synctest bubble ", line))
}
