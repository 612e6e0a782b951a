//go:build linux || darwin || freebsd

// Command loader opens the plugin that it is given the name of.
package main

import (
	"fmt"
	"os"
	"plugin"
)

func main() {
	if err := load(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func load(name string) error {
	p, err := plugin.Open(name)
	if err != nil {
		return err
	}
	smoke, err := p.Lookup("Smoke")
	if err != nil {
		return err
	}
	backend, err := smoke.(func() (string, error))()
	fmt.Println("backend:", backend)
	return err
}
