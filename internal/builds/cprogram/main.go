// Command cprogram is program with C in it.
package main

// static int one(void) { return 1; }
import "C"

import (
	"fmt"
	"os"

	"greenthread/internal/builds/smoke"
)

func main() {
	backend, err := smoke.Run()
	fmt.Println("backend:", backend)
	if err != nil || C.one() != 1 {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}
