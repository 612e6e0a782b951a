//go:build linux && (amd64 || arm64)

package asm

import "unsafe"

// The bodies: small pieces of native code, for the tests and for measurements.
// Each function returns the address of one, to be the entry of a native context
// or of a kernel thread. See native_bodies_ARCH.s.

// BodyReturn returns at once. Its argument is not used.
func BodyReturn() uintptr { return bodyReturnAddress() }

// BodyCount adds 1 to the uint64 that its argument points to, atomically.
func BodyCount() uintptr { return bodyCountAddress() }

// BodyPing switches from Ping to Pong of the PingPong that its argument points
// to, and expects to be continued, as many times as Rounds says, then from Ping
// to Home, all this again and again.
func BodyPing() uintptr { return bodyPingAddress() }

// BodyPong switches from Pong to Ping of the PingPong that its argument points
// to, again and again.
func BodyPong() uintptr { return bodyPongAddress() }

// PingPong is what BodyPing and BodyPong share.
type PingPong struct {
	Home   NativeContext // the goroutine that wants Rounds
	Ping   NativeContext
	Pong   NativeContext
	Rounds uintptr // there and back is one
	swap   uintptr // address of the switch
}

// Make prepares both sides. The stacks must stay mapped as long as Play is
// called. words chooses SwapContext, otherwise it is SwapRegisters.
func (p *PingPong) Make(ping, pong StackMemory, words bool) error {
	p.swap = SwapRegistersAddress()
	if words {
		p.swap = SwapContextAddress()
	}
	arg := uintptr(unsafe.Pointer(p))
	if err := MakeContext(&p.Ping, ping, BodyPing(), arg, &p.Home); err != nil {
		return err
	}
	return MakeContext(&p.Pong, pong, BodyPong(), arg, &p.Home)
}

// Play lets both sides switch to and fro n times, at least once, in native code.
func (p *PingPong) Play(n int) {
	p.Rounds = uintptr(max(n, 1))
	if p.swap == SwapContextAddress() {
		SwapContext(&p.Home, &p.Ping)
	} else {
		SwapRegisters(&p.Home, &p.Ping)
	}
}

// registersBody is the argument of bodyRegisters.
type registersBody struct {
	own, home   NativeContext
	seed        uintptr
	wrong, stop uintptr
	swap        uintptr // address of the switch
}

func bodyReturnAddress() uintptr
func bodyCountAddress() uintptr
func bodyPingAddress() uintptr
func bodyPongAddress() uintptr
func bodyMaskAddress() uintptr
func bodyTLSAddress() uintptr
func bodyAlignmentAddress() uintptr
func bodyWaitAddress() uintptr
func bodySpinAddress() uintptr
func bodyWordsAddress() uintptr
func bodyRegistersAddress() uintptr
func bodyDiveAddress() uintptr

func bodyReturn()
func bodyCount()
func bodyPing()
func bodyPong()
func bodyMask()
func bodyTLS()
func bodyAlignment()
func bodyWait()
func bodySpin()
func bodyWords()
func bodyRegisters()
func bodyDive()
