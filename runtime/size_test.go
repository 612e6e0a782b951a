package runtime

import (
	"testing"
	"unsafe"
)

// TestSizes holds what there is a million of to sizes that matter: Go's collector marks objects
// of up to 512 bytes span by span, and those of a multiple of 64 bytes begin with a cache line.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("the sizes are those of 64-bit systems")
	}
	for what, size := range map[string][2]uintptr{
		"a Thread":                         {unsafe.Sizeof(Thread{}), 16},
		"a task":                           {unsafe.Sizeof(task{}), 128},
		"what a switch needs of a task":    {unsafe.Offsetof(task{}.next), 64},
		"a thread":                         {unsafe.Sizeof(thread{}), 448},
		"what precedes a thread's context": {unsafe.Offsetof(thread{}.ctx), 8},
	} {
		if size[0] > size[1] {
			t.Errorf("%s is %d bytes, more than %d", what, size[0], size[1])
		}
	}
}
