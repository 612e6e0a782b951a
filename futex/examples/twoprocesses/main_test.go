//go:build linux && !futexportable

package main

import (
	"os"
	"testing"
)

// TestMain makes the test binary the child, when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		if _, err := os.Stat(os.Args[1]); err == nil {
			main()
			return
		}
	}
	os.Exit(m.Run())
}

func Example() {
	if err := parent(); err != nil {
		panic(err)
	}
	// Output:
	// together we counted to 20000
	// the other died with the lock: 1 was left undone
	// repaired: 20001
}
