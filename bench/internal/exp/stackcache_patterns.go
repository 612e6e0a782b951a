package exp

import (
	"math"
	"math/rand/v2"
	"time"

	"greenthread/stackpool/trace"
)

// A cachePattern is a way in which programs ask for stacks.
type cachePattern struct {
	name, what string
	make       func(events int) []trace.Event // at least so many, if possible
}

// The sizes and depths of the synthetic patterns.
const (
	cacheSize  = 64 << 10
	cacheDepth = 12 << 10
	cachePause = 100 * time.Millisecond // once in a while
)

var cachePatterns = []cachePattern{
	{"churn", "64 stacks in use, a random one is replaced", synthetic(churn)},
	{"burst", "1,000 stacks at once, all put back, a rest", synthetic(burst)},
	{"createjoin", "one stack, taken and put back", synthetic(createJoin)},
	{"migrate", "taken on one carrier, put back on another, 32 at a time", synthetic(migrate)},
	{"lifetimes", "lives of all lengths, most short and a few very long; rests", synthetic(lifetimes)},
	{"sawtooth", "up to 500 stacks and down again, over and over", synthetic(sawtooth)},
}

// scribe writes a trace.
type scribe struct {
	events []trace.Event
	now    time.Duration
	next   uint64
}

// get takes a stack on a carrier.
func (s *scribe) get(carrier int) uint64 {
	s.next++
	s.events = append(s.events, trace.Event{Time: s.now, Carrier: carrier, Stack: s.next, Size: cacheSize})
	return s.next
}

// put puts one back. Every eighth was used to the bottom.
func (s *scribe) put(carrier int, stack uint64) {
	depth := cacheDepth
	if stack%8 == 0 {
		depth = cacheSize
	}
	s.events = append(s.events, trace.Event{Time: s.now, Carrier: carrier, Put: true, Stack: stack, Depth: depth})
}

// synthetic repeats a pattern until there are enough events.
func synthetic(pattern func(s *scribe, events int)) func(int) []trace.Event {
	return func(events int) []trace.Event {
		var s scribe
		for len(s.events) < events {
			pattern(&s, events)
		}
		return s.events
	}
}

func churn(s *scribe, events int) {
	random := rand.New(rand.NewPCG(1, 2))
	var live []uint64
	for range 64 {
		live = append(live, s.get(0))
	}
	for range events / 2 {
		i := random.IntN(len(live))
		s.put(0, live[i])
		live[i] = s.get(0)
	}
	for _, stack := range live {
		s.put(0, stack)
	}
}

func burst(s *scribe, events int) {
	var live []uint64
	for range 1000 {
		live = append(live, s.get(0))
	}
	for _, stack := range live {
		s.put(0, stack)
	}
	s.now += cachePause
}

func createJoin(s *scribe, events int) { s.put(0, s.get(0)) }

func migrate(s *scribe, events int) {
	var live []uint64
	for range 32 {
		live = append(live, s.get(0))
	}
	for _, stack := range live {
		s.put(1, stack)
	}
}

// lifetimes has stacks that live for 8 requests at least, and whose lives are spread as
// those of many things are that people make (by a Pareto distribution, with an
// exponent of 1.1): half of them end within 15 requests, one in a hundred lasts for
// more than 500. At the end some are still in use.
func lifetimes(s *scribe, events int) {
	random := rand.New(rand.NewPCG(3, 4))
	ends := map[int][]uint64{} // what is put back before that request
	for i := 0; len(s.events) < events; i++ {
		for _, stack := range ends[i] {
			s.put(0, stack)
		}
		end := i + int(8*math.Pow(1-random.Float64(), -1/1.1))
		ends[end] = append(ends[end], s.get(0))
		if i%1000 == 999 {
			s.now += cachePause
		}
	}
}

func sawtooth(s *scribe, events int) {
	var live []uint64
	for range 500 {
		live = append(live, s.get(0))
	}
	for len(live) > 0 {
		s.put(0, live[len(live)-1])
		live = live[:len(live)-1]
	}
}
