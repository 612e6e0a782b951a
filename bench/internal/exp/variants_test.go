package exp

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/peers"
)

func TestMain(m *testing.M) {
	RunChild()
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the children
	os.Exit(m.Run())
}

// Each variant either runs, for any number of operations, or says why it cannot.
func TestVariantsRunOrSayWhyNot(t *testing.T) {
	shop := peers.NewShop()
	t.Cleanup(func() { shop.Close() })
	for _, e := range Menu(shop) {
		for _, v := range e.Variants {
			t.Run(e.Name+"/"+v.Name, func(t *testing.T) {
				s, err := v.Open(t.Context())
				var unavailable measure.Unavailable
				if errors.As(err, &unavailable) {
					t.Skip(unavailable)
				}
				if err != nil {
					t.Fatal(err)
				}
				counts := []int{1, 2, 7, 100}
				if v.Units >= 100 { // one operation is long enough
					counts = counts[:1]
				}
				for _, n := range counts {
					r, err := s.Sample(t.Context(), measure.NewClock(), n)
					if err != nil || r.Ops != n || r.Elapsed < 0 {
						t.Errorf("%d operations: %+v, %v", n, r, err)
					}
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestVariantsOfGoLeaveNoGoroutinesBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	plan := measure.Plan{Rounds: 2, Sample: 10 * time.Microsecond, Clock: measure.NewClock()}
	for _, e := range Menu(noPeers{}) {
		if e.Variants[0].Ops == 0 { // the others have processes of their own
			plan.Run(t.Context(), e)
		}
	}
	for range 1000 { // those that end may need a moment
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("there were %d goroutines, now there are %d", before, runtime.NumGoroutine())
}

func TestOnePIsForTheTimeOfASampleOnly(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var during int
	s := onOneP(measure.Loop(func(int) error {
		during = runtime.GOMAXPROCS(0)
		return errors.New("failed")
	}, nil))
	if _, err := s.Sample(context.Background(), measure.NewClock(), 1); err == nil {
		t.Error("the error was lost")
	}
	if after := runtime.GOMAXPROCS(0); during != 1 || after != 2 {
		t.Errorf("GOMAXPROCS is %d during the sample and %d after it, want 1 and 2", during, after)
	}
}
