package runtime

import "unsafe"

// A method is a method value that lives in the thread that it is bound to. The compiler
// makes an object of its own for one, 16 bytes of code and receiver; with three for each
// thread, the garbage collector would have twice as many objects to mark.
type method struct {
	code uintptr
	t    *thread
}

// The code of the method values, taken from some that the compiler has made.
var loopCode, landDoCode, rearmCode uintptr

func init() {
	t := new(thread)
	loopCode = codeOf(t.loop, t)
	landDoCode = codeOf(untyped(t.landDo), t)
	rearmCode = codeOf(t.rearm, t)
}

// codeOf returns the code of f, a method value of t.
func codeOf(f func(), t *thread) uintptr {
	m := **(**method)(unsafe.Pointer(&f))
	if m.t != t {
		panic("greenthread: a method value is not its code and its receiver")
	}
	return m.code
}

// bind makes m the method value of t with that code, and returns it.
func (m *method) bind(code uintptr, t *thread) func() {
	m.code, m.t = code, t
	return *(*func())(unsafe.Pointer(&m))
}
