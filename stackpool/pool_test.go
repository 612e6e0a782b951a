//go:build linux

package stackpool

import (
	"errors"
	"testing"
)

func TestSmoke(t *testing.T) {
	for _, k := range []GuardKind{GuardAuto, GuardMadvise, GuardMprotect} {
		p, err := New(Config{GuardKind: k})
		if err != nil {
			t.Fatal(err)
		}
		var ss []*Stack
		for range 3 {
			s, err := p.Get()
			if err != nil {
				t.Fatal(err)
			}
			t.Log(s)
			s.Bytes()[s.Size()-5000] = 1
			if h, err := s.HighWater(); h != 8192 || err != nil {
				t.Error(h, err)
			}
			t.Log(readable(s.Bottom()-1), readable(s.Top()), readable(s.GuardBottom()), readable(s.Bottom()))
			ss = append(ss, s)
			if s.GuardSize() > 0 {
				if err := s.Rearm(); err != nil {
					t.Error(err)
				}
			}
		}
		for _, s := range ss[:2] {
			if err := p.Put(s); err != nil {
				t.Fatal(err)
			}
		}
		t.Log(p.Put(ss[0]))
		n, err := p.Trim(1)
		t.Log(n, err, p.Stats())
		err = p.Close()
		t.Log(err)
		if !errors.Is(err, ErrLiveStacks) {
			t.Fail()
		}
		if err := p.Put(ss[2]); err != nil {
			t.Fatal(err)
		}
		t.Log(p.Put(ss[2]))
		t.Log(p.Close(), p.Stats())
	}
}
