package exp

import "greenthread/bench/internal/measure"

// create asks what it costs to make one thread and join it, again and again.
func create(peers Peers) measure.Experiment {
	return measure.Experiment{
		Name:    "create",
		Title:   "one thread, made and joined, again and again",
		Help:    page("create"),
		Short:   true,
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_op")},
		Variants: []measure.Variant{
			{Name: "clone/fresh", Open: createCloneFresh},
			{Name: "clone/pooled", Open: createClonePooled},
			{Name: "green/fresh", Open: createGreenFresh},
			{Name: "green/pooled", Open: createGreenPooled},
			{Name: "native/fresh", Open: createNativeFresh},
			{Name: "native/pooled", Open: createNativePooled},
			{Name: "goroutine", Open: createGoroutine},
			{Name: "pthread", Open: peer(peers, "pthread", "create"), Published: 14020},
			{Name: "ucontext/fresh", Open: peer(peers, "ucontext", "create/fresh"), Published: 13220},
			{Name: "ucontext/pooled", Open: peer(peers, "ucontext", "create/pooled"), Published: 1790},
			{Name: "boost.fiber/fresh", Open: peer(peers, "boost.fiber", "create/fresh")},
			{Name: "boost.fiber/pooled", Open: peer(peers, "boost.fiber", "create/pooled")},
			{Name: "pth", Open: peer(peers, "pth", "create")},
			{Name: "st", Open: peer(peers, "st", "create")},
		},
		Ratios: []measure.Ratio{
			{Of: "pthread", To: "ucontext/fresh", Published: 14.02 / 13.22},
			{Of: "pthread", To: "ucontext/pooled", Published: 14.02 / 1.79},
			{Of: "ucontext/fresh", To: "ucontext/pooled", Published: 13.22 / 1.79},
			{Of: "clone/fresh", To: "clone/pooled"},
			{Of: "green/fresh", To: "green/pooled"},
			{Of: "native/fresh", To: "native/pooled"},
			{Of: "clone/pooled", To: "green/pooled"},
			{Of: "pthread", To: "green/pooled"},
			{Of: "goroutine", To: "green/pooled"},
			{Of: "boost.fiber/pooled", To: "green/pooled"},
			{Of: "st", To: "green/pooled"},
		},
	}
}
