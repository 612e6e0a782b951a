package exp

import (
	"context"
	"fmt"
	"time"

	"greenthread/bench/internal/hugepages"
	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
)

// thpStacks is how many stacks a sample has: at 2 MiB each they take 512 MiB where
// nothing stops huge pages.
const thpStacks = 256

// thp asks what huge pages make of stacks.
func thp() measure.Experiment {
	e := measure.Experiment{
		Name:   "thp",
		Title:  "256 stacks of which one page is touched",
		Help:   page("thp"),
		Rounds: 7, // so that there is an interval
		Long:   35,
		Metrics: []measure.Metric{
			measure.Further("rss_kib", "KiB"),
			{Name: "wall_ms", Unit: "ms", Value: func(r measure.Reading, _ int) float64 {
				return r.Elapsed.Seconds() * 1000 * thpStacks / float64(r.Ops)
			}},
		},
	}
	for _, mib := range []int{1, 2} {
		size := fmt.Sprintf("%dM", mib)
		for _, v := range []struct {
			name   string
			change func(*stackpool.Config)
		}{
			{"allowed", allowHuge},
			{"guarded", func(c *stackpool.Config) {
				allowHuge(c)
				c.GuardKind, c.Guard = stackpool.GuardAuto, 4096
			}},
			{"default", func(c *stackpool.Config) { c.GuardKind = stackpool.GuardAuto }},
			{"never", func(c *stackpool.Config) {}},
		} {
			e.Variants = append(e.Variants, measure.Variant{
				Name: size + "/" + v.name, Ops: thpStacks, Takes: 25 * time.Millisecond,
				Open: func(context.Context) (measure.Sampler, error) {
					c := stackpool.Config{Size: mib << 20, GuardKind: stackpool.GuardNone, Policy: stackpool.KeepAll()}
					v.change(&c)
					return openTHP(c)
				},
			})
		}
		for _, way := range []string{"map_stack", "nohugepage"} {
			e.Variants = append(e.Variants, measure.Variant{
				Name: size + "/" + way, Ops: thpStacks, Takes: 25 * time.Millisecond,
				Open: func(context.Context) (measure.Sampler, error) { return openPlain(way, mib<<20) },
			})
		}
		published := map[int]float64{1: 807.0 / 723, 2: 1621.0 / 710}[mib]
		e.Ratios = append(e.Ratios,
			measure.Ratio{Of: size + "/allowed", To: size + "/never", Label: size + ", allowed : never, memory"},
			measure.Ratio{Of: size + "/allowed", To: size + "/never", Label: size + ", allowed : never, time", Metric: "wall_ms"},
			measure.Ratio{Of: size + "/allowed", To: size + "/guarded", Label: size + ", allowed : guarded, time", Metric: "wall_ms", Published: published})
	}
	return e
}

// allowHuge lets huge pages come: where the system's setting does not bring them by
// itself, they are asked for, which is the same for this memory.
func allowHuge(c *stackpool.Config) {
	if c.HugePages = stackpool.HugeAlways; hugepages.Setting() == "always" {
		c.HugePages = stackpool.HugeSystem
	}
}

// thpSampler fills a new pool in each sample.
type thpSampler struct{ config stackpool.Config }

func openTHP(c stackpool.Config) (measure.Sampler, error) {
	pool, err := stackpool.New(c)
	if err != nil {
		return nil, unavailable(err)
	}
	return thpSampler{c}, pool.Close()
}

func (thpSampler) Close() error { return nil }

// Sample makes n stacks and touches the page at the top of each.
func (s thpSampler) Sample(_ context.Context, clock measure.Clock, n int) (r measure.Reading, err error) {
	pool, err := stackpool.New(s.config)
	if err != nil {
		return r, err
	}
	stacks := make([]*stackpool.Stack, 0, n)
	defer func() {
		for _, stack := range stacks {
			pool.Put(stack)
		}
		if e := pool.Close(); err == nil {
			err = e
		}
	}()
	start := clock.Now()
	for range n {
		stack, err := pool.Get()
		if err != nil {
			return r, err
		}
		memory := stack.Bytes()
		memory[len(memory)-1] = 1
		stacks = append(stacks, stack)
	}
	r.Ops, r.Elapsed = n, clock.Now()-start
	usage, err := pool.Usage()
	r.Further = map[string]float64{"rss_kib": float64(usage.Resident) / 1024 / float64(n)}
	return r, err
}
