//go:build linux

package asm

import "fmt"

// entryMod is SP modulo 16 at the first instruction of native code.
const entryMod = 8

// controlWords shows the control words that bodyAlignment has found, without the
// flags of exceptions.
func controlWords(out *[4]uint64) string {
	return fmt.Sprintf("MXCSR %#x, x87 %#x", uint32(out[2])&^0x3F, uint16(out[3]))
}

const defaultWords = "MXCSR 0x1f80, x87 0x37f"

// newWords returns a body that rounds to nearest, down, up or to zero; up with a
// precision of 24 bits.
func newWords(mode uint32) *wordsBody {
	return &wordsBody{mxcsr: 0x1F80 | mode<<13, fpcw: []uint32{0x037F, 0x077F, 0x087F, 0x0F7F}[mode]}
}

// staleWords makes c look as if it had been saved some time ago.
func staleWords(c *NativeContext) { c.mxcsr = 0x7F80 }

// badThreadPointer makes clone fail: CLONE_SETTLS wants an address of user space.
const badThreadPointer = 1 << 62
