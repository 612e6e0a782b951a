//go:build linux

package stackpool

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// Under each policy, several goroutines take, use and put back stacks of two sizes
// while the background works as fast as it can: nobody ever sees another's bytes,
// and nothing is left.
func TestPoliciesWorkWhileStacksAreInUse(t *testing.T) {
	for _, policy := range append(policies()[:len(policies()):len(policies())], Decay(time.Millisecond), Batched(Decay(2*time.Millisecond), 3)) {
		for _, order := range []Order{LIFO, LowestFirst} {
			t.Run(fmt.Sprint(policy, "/", order), func(t *testing.T) {
				w := watch()
				c := small(GuardAuto)
				c.Policy, c.Order, c.Magazine, c.MaxWarm = policy, order, 3, 20
				p, err := newPool(c, w)
				if err != nil {
					t.Fatal(err)
				}
				var users sync.WaitGroup
				for g := range 4 {
					users.Go(func() {
						var mine []*Stack
						for i := range 150 {
							s, err := p.GetSize(c.Size << (i % 2 * 2))
							if err != nil {
								t.Error(err)
								return
							}
							s.Bytes()[0], s.Bytes()[s.Size()-1] = byte(g), byte(g)
							if mine = append(mine, s); len(mine) <= i%11 {
								continue
							}
							for _, s := range mine {
								if b := s.Bytes(); b[0] != byte(g) || b[len(b)-1] != byte(g) {
									t.Errorf("%v was changed", s)
								}
							}
							put(t, p, mine...)
							mine = mine[:0]
						}
						put(t, p, mine...)
					})
				}
				users.Wait()
				if got := p.Stats(); got.Live != 0 || got.AdviceRefused != 0 {
					t.Errorf("%+v", got)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
				w.checkEmpty(t)
			})
		}
	}
}
