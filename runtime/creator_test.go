package runtime

import (
	"context"
	"strings"
	"testing"
)

// TestCreatorIsWhoHasCalledThePackage starts threads in all ways, of which each tells a
// line of this file.
func TestCreatorIsWhoHasCalledThePackage(t *testing.T) {
	creators := make(chan string, 1)
	tell := func() {
		creators <- Current().Creator().Function
	}
	for name, start := range map[string]func(){
		"Go":           func() { _, _ = Go(tell) },
		"Run":          func() { _ = Run(tell) },
		"WaitGroup.Go": func() { _ = new(WaitGroup).Go(tell) },
		"Group.Go":     func() { new(Group).Go(func() error { tell(); return nil }) },
		"Group.TryGo":  func() { new(Group).TryGo(func() error { tell(); return nil }) },
		"AfterFunc":    func() { AfterFunc(0, tell) },
		"Spawn": func() {
			_, _ = Spawn(func() (int, error) { tell(); return 0, nil }).Get(context.Background())
		},
	} {
		start()
		if f := <-creators; !strings.HasPrefix(f, "greenthread/runtime."+t.Name()) {
			t.Errorf("%s: the creator is %s", name, f)
		}
	}
}
