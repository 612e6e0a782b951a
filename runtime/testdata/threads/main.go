// Command threads has two green threads wait, for a debugger to look at.
package main

import (
	"fmt"
	"os"

	green "greenthread/runtime"
)

//go:noinline
func wait() { green.Park() }

func main() {
	for _, name := range []string{"alice", "bob"} {
		if _, err := green.Go(wait, green.WithName(name)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	fmt.Println("ready")
	select {}
}
