package main

import (
	"fmt"

	"greenthread/bench/internal/exp"
)

type helpCmd struct {
	Name string `arg:"" help:"An experiment; see list."`
}

// Run prints the page of one experiment.
func (c helpCmd) Run(in *invocation) error {
	picked, err := exp.Pick(exp.Menu(nil), c.Name)
	if err != nil {
		return usageError{err}
	}
	_, err = fmt.Fprint(in.stdout, picked[0].Help)
	return err
}
