//go:build greenthread_unknown_go && linux && (amd64 || arm64)

package asm

// goVersion is of a version without a table: this build tag shows what comes of a
// version of Go that this module does not know yet.
func goVersion() string { return "go1.999" }
