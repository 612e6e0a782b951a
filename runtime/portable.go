package runtime

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// portables finds the thread that a goroutine is, on the portable backend.
var portables struct {
	count   atomic.Int64
	threads sync.Map // number of a goroutine to *Thread
}

// goPortable runs t as an ordinary goroutine.
func (t *Thread) goPortable() {
	portables.count.Add(1)
	go func() {
		id := goid()
		portables.threads.Store(id, t)
		defer func() {
			portables.threads.Delete(id)
			portables.count.Add(-1)
			close(t.done)
			t.rt.gone()
		}()
		t.fn()
	}()
}

func currentPortable() *Thread {
	if t, ok := portables.threads.Load(goid()); ok {
		return t.(*Thread)
	}
	return nil
}

// goid reads the number of the calling goroutine off its stack trace.
func goid() uint64 {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	id, _ := strconv.ParseUint(string(text[:max(bytes.IndexByte(text, ' '), 0)]), 10, 64)
	return id
}
