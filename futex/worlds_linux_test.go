//go:build linux && !futexportable

package futex_test

import (
	"context"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

// worlds are those in which the suite of the primitives runs here.
func worlds() map[string]world { return map[string]world{"private": private, "shared": shared} }

// arena is anonymous memory that children would share, all zero, from which the tests take what they need.
var arena struct {
	sync.Mutex
	rest []byte
}

// inArena returns a zeroed T in shared memory.
func inArena[T any]() *T {
	arena.Lock()
	defer arena.Unlock()
	size := (int(unsafe.Sizeof(*new(T))) + 7) &^ 7
	if len(arena.rest) < size {
		memory, err := unix.Mmap(-1, 0, 256*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
		if err != nil {
			panic(err)
		}
		arena.rest = memory
	}
	p := (*T)(unsafe.Pointer(unsafe.SliceData(arena.rest)))
	arena.rest = arena.rest[size:]
	return p
}

var shared = world{
	mutex:     func() mutex { return inArena[futex.SharedMutex]() },
	rwMutex:   func() rwMutex { return inArena[futex.SharedRWMutex]() },
	cond:      func() cond { return inArena[sharedCond]() },
	semaphore: func() semaphore { return inArena[futex.SharedSemaphore]() },
	barrier:   func() barrier { return inArena[futex.SharedBarrier]() },
	event:     func() event { return inArena[futex.SharedEvent]() },
	once:      func() once { return inArena[futex.SharedOnce]() },
}

type sharedCond struct {
	futex.SharedMutex
	c futex.SharedCond
}

func (c *sharedCond) Wait() error                         { return c.c.Wait(&c.SharedMutex) }
func (c *sharedCond) WaitUntil(d futex.Deadline) error    { return c.c.WaitUntil(&c.SharedMutex, d) }
func (c *sharedCond) WaitContext(x context.Context) error { return c.c.WaitContext(&c.SharedMutex, x) }
func (c *sharedCond) Signal() error                       { return c.c.Signal() }
func (c *sharedCond) Broadcast() error                    { return c.c.Broadcast(&c.SharedMutex) }
