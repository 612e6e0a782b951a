//go:build (msan || asan) && linux && (amd64 || arm64)

package asm

// unsupportedBuild says why this build cannot adopt goroutines, if it cannot.
const unsupportedBuild = "the C sanitizers do not know our stacks"
