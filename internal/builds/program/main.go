// Command program is what most ways to build are tried on.
package main

import (
	"fmt"
	"os"

	"greenthread/internal/builds/smoke"
)

func main() {
	backend, err := smoke.Run()
	fmt.Println("backend:", backend)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}
