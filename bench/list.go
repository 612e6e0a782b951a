package main

import (
	"fmt"

	"greenthread/bench/internal/exp"
)

type listCmd struct{}

// Run names the experiments, each with its variants.
func (listCmd) Run(in *invocation) error {
	for _, e := range exp.Menu(nil) {
		suite := ""
		if e.Short {
			suite = " (short suite)"
		}
		if _, err := fmt.Fprintf(in.stdout, "%s: %s%s\n", e.Name, e.Title, suite); err != nil {
			return err
		}
		for _, v := range e.Variants {
			if _, err := fmt.Fprintf(in.stdout, "  %s/%s\n", e.Name, v.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
