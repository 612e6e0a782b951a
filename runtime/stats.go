package runtime

// Stats is what a runtime has counted since it was made, and what it has at this
// moment.
type Stats struct {
	Carriers int // that there are, spares included
	Spares   int // of these, started in the place of blocked ones
	Asleep   int // carriers with nothing to do
	Blocked  int // carriers whose thread blocks in Go, as the monitor has seen last
	Unpinned int // carriers, ever, that could not be pinned to their CPU of Config.CPUs, and run anywhere

	PinError error // why that was so for the first of them; nil if there is none

	Switches uint64 // threads resumed or started
	Steals   uint64 // times that a carrier took threads from another
	Sleeps   uint64 // times that a carrier went to sleep
	Wakes    uint64 // times that a sleeping carrier was woken for work

	Started uint64 // threads, ever
	Ended   uint64
	Live    int // Started without Ended: the sum of the next three
	Running int // also those that block in Go
	Ready   int // in a queue, whether they have started or not
	Waiting int

	Queues []int // ready threads by carrier; what is left of Ready is in no carrier's queue
	Timers int   // of sleeps, deadlines, AfterFunc and tickers

	Anchors     int // goroutines on stacks that run this runtime's threads; 0 on the portable backend
	IdleAnchors int // of these, those that have no thread now
	Reserved    int // stacks set aside for anchors that were not needed yet
}

// Stats returns what r has counted. Nothing is stopped for it: threads that move
// meanwhile may be missed or counted twice. It takes a few locks for some
// nanoseconds each, and time proportional to the number of carriers.
func (r *Runtime) Stats() Stats {
	s := Stats{Blocked: int(max(r.blocked.Load(), 0)), Unpinned: int(r.unpinned.Load()), Timers: r.timers.length()}
	if err := r.misplaced.Load(); err != nil {
		s.PinError = *err
	}
	r.mu.lock()
	all := *r.all.Load()
	sum := r.retired
	s.Asleep, s.Wakes = len(r.idle), r.wakes
	for _, c := range all {
		c.addTo(&sum)
	}
	r.mu.unlock()
	s.Carriers, s.Spares = len(all), max(len(all)-r.carriers, 0)
	s.Queues = make([]int, len(all))
	s.Ready = r.global.length() + r.starved.length()
	for i, c := range all {
		if loadShared(&c.running) != nil {
			s.Running++
		}
		s.Queues[i] = c.waiting()
		s.Ready += s.Queues[i]
	}
	s.Switches, s.Steals, s.Sleeps = sum.switches.load(), sum.steals.load(), sum.sleeps.load()
	s.Ended = sum.ended.load()
	s.Live = r.living()
	s.Started = s.Ended + uint64(s.Live)
	s.Waiting = max(s.Live-s.Running-s.Ready, 0)
	if !r.portable {
		s.Anchors, s.IdleAnchors, s.Reserved = r.stable.counts(all)
	}
	return s
}

// counts returns how many anchors there are, how many of them are idle, and how
// many stacks are set aside.
func (s *stable) counts(all []*carrier) (anchors, idle, reserved int) {
	for _, c := range all {
		c.lock.lock()
		idle += len(c.idle)
		c.lock.unlock()
	}
	s.lock.lock()
	defer s.lock.unlock()
	return int(s.capacity.Load()) - len(s.slots), idle + len(s.idle), len(s.slots)
}
