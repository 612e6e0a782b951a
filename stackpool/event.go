package stackpool

import "fmt"

// Event is something that has happened in a pool; see Config.Hook.
type Event struct {
	Kind EventKind
	// ID is the number of the stack in its pool, and Size what it can hold; 0 for
	// EventMap and EventUnmap.
	ID   uint64
	Size int
	// Bytes is how much memory it was about: address space for EventNew, EventMap
	// and EventUnmap, what was discarded for EventRelease.
	Bytes int64
	// Carrier is the number of the P on which it happened.
	Carrier int
}

// EventKind says what has happened.
type EventKind uint8

const (
	EventGet     EventKind = iota // a stack was handed out
	EventPut                      // a stack comes back
	EventNew                      // a stack was made, and is handed out next
	EventRelease                  // memory of a stack was given back
	EventMap                      // an arena was mapped
	EventUnmap                    // an arena was unmapped, with all its stacks
)

// String returns "get", "put", "new", "release", "map" or "unmap".
func (k EventKind) String() string {
	if names := [...]string{"get", "put", "new", "release", "map", "unmap"}; int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// event tells the hook, if there is one.
func (p *Pool) event(k EventKind, s *Stack, bytes int64) {
	if p.hook == nil {
		return
	}
	e := Event{Kind: k, Bytes: bytes}
	if s != nil {
		e.ID, e.Size = s.id, s.Size()
	}
	e.Carrier = procPin()
	procUnpin()
	p.hook(e)
}
