//go:build linux

package stackpool

import (
	"testing"

	"golang.org/x/sys/unix"
)

// One piece of many does not begin with a page, the first one, one in the middle, the
// last one: those before it are discarded, and the error says what was wrong.
func TestAdviceAboutManyPiecesFailsAtTheRightOne(t *testing.T) {
	const n = 9
	var k kernel
	base, err := k.reserve(2*n*pageSize, accessReadWrite, HugeNever)
	if err != nil {
		t.Fatal(err)
	}
	defer k.unmap(base, 2*n*pageSize)
	needAdvice(t)
	for bad := range n + 1 {
		var pieces []span
		for i := range uintptr(n) {
			pieces = append(pieces, span{base + 2*i*pageSize, pageSize})
			*(*byte)(foreign(pieces[i].addr)) = 1
		}
		if bad < n {
			pieces[bad].addr++
		}
		err := k.adviseAll(pieces, adviceDontNeed)
		if bad < n {
			wantErr(t, err, unix.EINVAL)
		} else if err != nil {
			t.Error(err)
		}
		for i, piece := range pieces[:bad] {
			if *(*byte)(foreign(piece.addr)) != 0 {
				t.Errorf("piece %d was not discarded, piece %d is bad", i, bad)
			}
		}
	}
}
