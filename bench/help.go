package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"greenthread/bench/internal/exp"
)

type helpCmd struct {
	Name string `arg:"" optional:"" help:"An experiment or a command; without one, what pages there are."`
}

// Run prints the page of one experiment, or what pages there are.
func (c helpCmd) Run(in *invocation) error {
	if c.Name == "" {
		var text strings.Builder
		text.WriteString("bench help NAME explains an experiment or a command. NAME is one of:\n\n")
		for _, e := range exp.Menu(nil) {
			fmt.Fprintf(&text, "  %-11s %s\n", e.Name, e.Title)
		}
		text.WriteString("\nor one of the commands, which bench --help shows: run, list, compare, disasm, doctor.\n")
		_, err := fmt.Fprint(in.stdout, text.String())
		return err
	}
	if isCommand(c.Name) {
		run(in.ctx, []string{c.Name, "--help"}, in.stdout, in.stderr)
		return nil
	}
	picked, err := exp.Pick(exp.Menu(nil), c.Name)
	if err != nil {
		return usageError{err}
	}
	_, err = fmt.Fprint(in.stdout, picked[0].Help)
	return err
}

// isCommand reports whether name is that of a command.
func isCommand(name string) bool {
	return slices.ContainsFunc(kong.Must(&cli{}).Model.Children, func(n *kong.Node) bool { return n.Name == name })
}
