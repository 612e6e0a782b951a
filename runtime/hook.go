package runtime

// An Event is something that happens in a Runtime, for Config.Hook.
type Event struct {
	Kind    EventKind
	Carrier int     // the number of the carrier on which it happens, -1 if on none
	Thread  *Thread // nil for events of carriers
	Reason  Reason  // of ThreadPark: what it waits for
}

// An EventKind says what happens.
type EventKind uint8

// What a hook is told.
const (
	CarrierStart EventKind = iota // a carrier begins, a spare one too
	CarrierStop                   // a carrier has ended
	CarrierSleep                  // a carrier has nothing to do, and goes to sleep
	CarrierWake                   // it goes on, since it was woken, or a timer has come
	ThreadStart                   // a thread is about to run for the first time
	ThreadPark                    // a thread is about to be switched out, to wait
	ThreadReady                   // a thread that has waited is about to be put into a queue
	ThreadEnd                     // the function of a thread has ended
)

// String returns the kind in lower case, as in "carrier start".
func (k EventKind) String() string {
	switch k {
	case CarrierStart:
		return "carrier start"
	case CarrierStop:
		return "carrier stop"
	case CarrierSleep:
		return "carrier sleep"
	case CarrierWake:
		return "carrier wake"
	case ThreadStart:
		return "thread start"
	case ThreadPark:
		return "thread park"
	case ThreadReady:
		return "thread ready"
	case ThreadEnd:
		return "thread end"
	}
	return "unknown"
}

// hooked tells the hook, if there is one, what happens to t; by c, if that is not nil.
// It is called only where there is one: the check is inlined, this is not.
//
//go:noinline
func (r *Runtime) hooked(kind EventKind, c *carrier, t *task, why Reason) {
	number := -1
	if c != nil {
		number = c.number
	}
	e := Event{Kind: kind, Carrier: number, Reason: why}
	if t != nil {
		e.Thread = t.handle
	}
	r.hook(e)
}

// hooked is the same for events of c itself.
func (c *carrier) hooked(kind EventKind) {
	if c.rt.hook != nil {
		c.rt.hooked(kind, c, nil, NotWaiting)
	}
}
