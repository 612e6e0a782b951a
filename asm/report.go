//go:build linux && (amd64 || arm64)

package asm

import "unsafe"

// report prints what happened to the stack of c, before Go crashes for it.
//
//go:norace
//go:nocheckptr
func (c *Context) report(what string, addr, sp uintptr) {
	print2("greenthread: thread ")
	printDecimal(uintptr(c.id))
	if c.name != "" {
		print2(" \"")
		print2(c.name)
		print2("\"")
	}
	print2(what)
	print2(": stack size ")
	printDecimal(c.top - c.usableLo)
	print2(" bytes, stack [")
	printHex(c.usableLo)
	print2(", ")
	printHex(c.top)
	print2("), guard [")
	printHex(c.runLo)
	print2(", ")
	printHex(c.usableLo)
	print2("), address ")
	printHex(addr)
	print2(", sp ")
	printHex(sp)
	print2("\n")
}

//go:norace
//go:nocheckptr
func print2(s string) {
	syscall3(sysWrite, 2, stringAddress(s), uintptr(len(s)))
}

//go:norace
//go:nocheckptr
func printDecimal(n uintptr) { printNumber(n, 10) }

//go:norace
//go:nocheckptr
func printHex(n uintptr) {
	print2("0x")
	printNumber(n, 16)
}

const digits = "0123456789abcdef"

// printNumber writes the digits one by one, highest first: slow, but it needs
// no buffer, and the signal stack is small.
//
//go:norace
//go:nocheckptr
func printNumber(n, base uintptr) {
	scale := uintptr(1)
	for n/scale >= base {
		scale *= base
	}
	for ; scale > 0; scale /= base {
		syscall3(sysWrite, 2, stringAddress(digits)+n/scale%base, 1)
	}
}

// stringAddress returns where the bytes of s are.
//
//go:norace
//go:nocheckptr
func stringAddress(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }
