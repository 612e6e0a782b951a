//go:build cgo

// Command shared is built as a library for C, which host.c opens.
package main

import "C"

import (
	"fmt"

	"greenthread/internal/builds/smoke"
)

// Smoke prints the backend and returns 0 if all went well.
//
//export Smoke
func Smoke() C.int {
	backend, err := smoke.Run()
	fmt.Println("backend:", backend)
	if err != nil {
		fmt.Println("FAILED:", err)
		return 1
	}
	return 0
}

func main() {}
