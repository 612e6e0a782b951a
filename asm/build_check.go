//go:build !msan && !asan

package asm

// unsupportedBuild says why this build cannot adopt goroutines, if it cannot.
const unsupportedBuild = ""
