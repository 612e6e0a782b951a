package exp

import (
	"context"
	"maps"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/crowd"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/peers"
	"greenthread/bench/internal/pin"
)

// Some variants have a process of their own, which is this program started once more:
// those that are confined to some CPUs, since Go asks only once how many there are, and
// those that leave much behind for whoever comes next, such as 100,000 stacks.

// RunChild carries out the task of a process that was started for one variant, or for one
// sample, and exits. In any other process it returns at once.
func RunChild() {
	child.Run(childTasks())
	peers.Serve(func(name string) (peers.Task, error) {
		picked, err := Pick(Menu(nil), name)
		if err != nil {
			return nil, err
		}
		return picked[0].Variants[0].Open, nil
	})
}

// childTasks are for samples that need a process of their own: what they change, or leave
// behind, would be in the way of others.
func childTasks() map[string]child.Task {
	tasks := map[string]child.Task{
		"futex/private":    futexTask("private"),
		"futex/shared":     futexTask("shared"),
		"futex/fallback":   futexTask("fallback"),
		"futex/green":      futexTask("green"),
		"skynet/green":     skynetTask(skynetGreen),
		"skynet/goroutine": skynetTask(skynetGoroutine),
	}
	maps.Copy(tasks, crowd.Tasks)
	return tasks
}

// apart returns the Open function of a variant that has a process of its own, in which
// open is called. The name is that of the experiment and the variant. cpus, which may
// be nil, says to which CPUs the process is confined.
func apart(name string, cpus func() ([]int, error), open peers.Task) peers.Task {
	return func(ctx context.Context) (measure.Sampler, error) {
		if peers.Serving() {
			return open(ctx)
		}
		var on []int
		if cpus != nil {
			var err error
			if on, err = cpus(); err != nil {
				return nil, err
			}
		}
		return peers.OpenSelf(ctx, name, on...)
	}
}

// oneCPU and twoCPUs are the first CPUs that this process may use.
func oneCPU() ([]int, error)  { return someCPUs(1) }
func twoCPUs() ([]int, error) { return someCPUs(2) }

func someCPUs(n int) ([]int, error) {
	allowed, err := pin.Allowed()
	if err != nil {
		return nil, measure.Unavailable(err.Error())
	}
	if len(allowed) < n {
		return nil, measure.Unavailablef("it needs %d CPUs, and there is %d", n, len(allowed))
	}
	return allowed[:n], nil
}
