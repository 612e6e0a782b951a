//go:build !greenthread_unknown_go && linux && (amd64 || arm64)

package asm

import "runtime"

func goVersion() string { return runtime.Version() }
