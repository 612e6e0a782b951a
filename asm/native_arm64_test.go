//go:build linux

package asm

import "fmt"

// entryMod is SP modulo 16 at the first instruction of native code.
const entryMod = 0

// controlWords shows the control word that bodyAlignment has found.
func controlWords(out *[4]uint64) string { return fmt.Sprintf("FPCR %#x", out[2]) }

const defaultWords = "FPCR 0x0"

// newWords returns a body that rounds to nearest, up, down or to zero.
func newWords(mode uint32) *wordsBody { return &wordsBody{fpcr: mode << 22} }

// staleWords makes c look as if it had been saved some time ago.
func staleWords(c *NativeContext) { c.fpcr = 3 << 22 }

// badThreadPointer is 0: this architecture takes any.
const badThreadPointer = 0
