package stackpool

import _ "unsafe" // for linkname

// procPin keeps the goroutine on its P (and so on its kernel thread) until
// procUnpin, and returns the number of that P. In between nothing may block. It
// costs an increment, and is the cheapest answer to "which carrier am I on?": the
// runtime marks both functions for use by linkname.
//
//go:linkname procPin runtime.procPin
func procPin() int

// procUnpin ends what procPin began.
//
//go:linkname procUnpin runtime.procUnpin
func procUnpin()
