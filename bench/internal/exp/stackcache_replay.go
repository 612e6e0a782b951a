package exp

import (
	"context"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
	"greenthread/stackpool/trace"
)

// restGap is the shortest gap in a trace that is waited for.
const restGap = time.Millisecond

// replay is a sampler that plays a trace to a new pool each time: once for the time
// of all, and once more with a look at the clock around each request and at the
// memory now and then.
type replay struct {
	config stackpool.Config
	make   func(events int) []trace.Event
}

func openReplay(c stackpool.Config, make func(int) []trace.Event) (measure.Sampler, error) {
	c.Name = "bench"
	pool, err := stackpool.New(c)
	if err != nil {
		return nil, unavailable(err)
	}
	return &replay{c, make}, pool.Close()
}

func (r *replay) Close() error { return nil }

// Sample replays n events: the beginning of the trace, or the trace again and
// again.
func (r *replay) Sample(_ context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	events := r.make(n)
	whole := player{clock: clock}
	count := measure.CountUsage()
	if err := whole.play(r.config, events, n); err != nil {
		return measure.Reading{}, err
	}
	counts := count()
	close := player{clock: clock, closely: true}
	if err := close.play(r.config, events, n); err != nil {
		return measure.Reading{}, err
	}
	latencies := measure.Latencies(close.latencies) // sorts them
	at := func(q float64) float64 {
		return float64(close.latencies[int(q*float64(len(close.latencies)-1))])
	}
	peak, rest := 0.0, close.resident[len(close.resident)-1].Value
	for _, look := range close.resident {
		peak = max(peak, look.Value)
	}
	stats := whole.stats
	gets := max(1, float64(stats.Hits+stats.Misses))
	return measure.Reading{Ops: n, Elapsed: whole.elapsed, Usage: counts, Further: map[string]float64{
		"p50_ns":       at(0.5),
		"p90_ns":       at(0.9),
		"p99_ns":       at(0.99),
		"p999_ns":      at(0.999),
		"hit_pct":      100 * float64(stats.Hits) / gets,
		"warm_pct":     100 * float64(stats.Hits-stats.Cold) / gets,
		"mean_kib":     close.meanKiB(),
		"peak_kib":     peak,
		"rest_kib":     rest,
		"calls_per_op": float64(stats.Calls) / float64(n),
	}, Courses: map[string][]measure.Point{"mean_kib": close.resident}, Latencies: latencies}, nil
}

// player plays a trace once.
type player struct {
	clock   measure.Clock
	closely bool

	elapsed   time.Duration // without the rests
	latencies []time.Duration
	resident  []measure.Point // KiB: now and then, during rests, and at the end
	stats     stackpool.Stats

	start time.Duration
	pool  *stackpool.Pool
	live  map[uint64]*stackpool.Stack
	first error
}

// meanKiB returns the mean over the time.
func (p *player) meanKiB() float64 {
	var area, length float64
	for i, look := range p.resident[1:] {
		d := float64(look.At - p.resident[i].At)
		area += d * (look.Value + p.resident[i].Value) / 2
		length += d
	}
	return area / length
}

// play makes a pool, plays n events, rests, and closes the pool.
func (p *player) play(c stackpool.Config, events []trace.Event, n int) (err error) {
	if p.pool, err = stackpool.New(c); err != nil {
		return err
	}
	p.live = map[uint64]*stackpool.Stack{}
	p.start = p.clock.Now()
	p.look()
	carriers := newCarriers()
	defer carriers.close()
	for done := 0; done < n && p.first == nil; {
		some := events[:min(len(events), n-done)]
		p.round(carriers, some, n)
		done += len(some)
		p.putAll() // the next round begins with none
	}
	p.stats = p.pool.Stats()
	if p.closely && p.first == nil {
		p.rest(min(cachePause, time.Duration(n)*cachePause/1000)) // short after a short trace
	}
	if err := p.pool.Close(); p.first == nil {
		p.first = err
	}
	return p.first
}

// round plays events once, in pieces of one carrier without a rest.
func (p *player) round(carriers *carriers, events []trace.Event, n int) {
	for from := 0; from < len(events) && p.first == nil; {
		to := from + 1
		for to < len(events) && events[to].Carrier == events[from].Carrier && events[to].Time-events[to-1].Time < restGap {
			to++
		}
		if from > 0 {
			if gap := events[from].Time - events[from-1].Time; gap >= restGap {
				p.rest(min(gap, time.Second))
			}
		}
		carriers.run(events[from].Carrier, func() {
			start := p.clock.Now()
			for i, e := range events[from:to] {
				p.event(e)
				if p.closely && (from+i)%(n/32+1) == 0 {
					p.look()
				}
			}
			p.elapsed += p.clock.Since(start)
		})
		from = to
	}
}

// rest lets time pass, and looks on.
func (p *player) rest(gap time.Duration) {
	const looks = 10
	p.look()
	for range looks {
		time.Sleep(gap / looks)
		p.look()
	}
}

// event does one request. The top of a stack is used at once, the rest just before it
// is put back.
func (p *player) event(e trace.Event) {
	if p.first != nil {
		return
	}
	var start time.Duration
	if p.closely {
		start = p.clock.Now()
	}
	if e.Put {
		s := p.live[e.Stack]
		delete(p.live, e.Stack)
		use(s, e.Depth)
		p.first = p.pool.Put(s)
	} else if s, err := p.pool.GetSize(e.Size); err != nil {
		p.first = err
	} else {
		use(s, 1)
		p.live[e.Stack] = s
	}
	if p.closely {
		p.latencies = append(p.latencies, p.clock.Since(start))
	}
}

// use touches each page of the top bytes of a stack.
func use(s *stackpool.Stack, bytes int) {
	memory := s.Bytes()
	for at := 1; at <= min(bytes, len(memory)); at += 4096 {
		memory[len(memory)-at] = 1
	}
}

// putAll puts back what the trace has left in use.
func (p *player) putAll() {
	for id, s := range p.live {
		if err := p.pool.Put(s); p.first == nil {
			p.first = err
		}
		delete(p.live, id)
	}
}

// look notes what is resident, if that is what this time is for.
func (p *player) look() {
	if !p.closely || p.first != nil {
		return
	}
	usage, err := p.pool.Usage()
	p.first = err
	p.resident = append(p.resident, measure.Point{At: p.clock.Now() - p.start, Value: float64(usage.Resident) / 1024})
}
