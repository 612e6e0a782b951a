package main

import (
	"fmt"
	"strings"

	"greenthread/bench/internal/exp"
)

type helpCmd struct {
	Name string `arg:"" optional:"" help:"An experiment; without one, what pages there are."`
}

// Run prints the page of one experiment, or what pages there are.
func (c helpCmd) Run(in *invocation) error {
	if c.Name == "" {
		var text strings.Builder
		text.WriteString("bench help NAME explains an experiment. NAME is one of:\n\n")
		for _, e := range exp.Menu(nil) {
			fmt.Fprintf(&text, "  %-11s %s\n", e.Name, e.Title)
		}
		text.WriteString("\nbench --help and bench run --help show commands and flags.\n")
		_, err := fmt.Fprint(in.stdout, text.String())
		return err
	}
	picked, err := exp.Pick(exp.Menu(nil), c.Name)
	if err != nil {
		return usageError{err}
	}
	_, err = fmt.Fprint(in.stdout, picked[0].Help)
	return err
}
