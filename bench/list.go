package main

import (
	"fmt"
	"strings"

	"greenthread/bench/internal/exp"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/paragraph"
)

type listCmd struct {
	Name []string `arg:"" optional:"" help:"Experiments, whose variants are then listed line by line."`
}

// Run names the experiments with their variants; or those of some, each as run takes it.
func (c listCmd) Run(in *invocation) error {
	var text strings.Builder
	if len(c.Name) > 0 {
		picked, err := exp.Pick(exp.Thorough(exp.Menu(nil)), c.Name...)
		if err != nil {
			return usageError{err}
		}
		for _, e := range picked {
			for _, v := range e.Variants {
				fmt.Fprintf(&text, "%s/%s\n", e.Name, v.Name)
			}
		}
	} else {
		for _, e := range exp.Menu(nil) {
			title := e.Name + ": " + e.Title
			if e.Short {
				title += " (short suite)"
			}
			text.WriteString(paragraph.Hang("", 4, title))
			text.WriteString(paragraph.Wrap("  ", strings.Join(names(e.Variants), "  ")))
		}
		text.WriteString(paragraph.Hang("\n", 0, `"bench run create" runs an experiment, "bench run create/clone" the variants that begin so. `+
			`"bench list create" lists them line by line, "bench help create" explains them. `+
			`A * is only run by its full name, or with -long.`))
	}
	_, err := fmt.Fprint(in.stdout, text.String())
	return err
}

// names returns the names of the variants, with a mark at those that take long.
func names(variants []measure.Variant) []string {
	var out []string
	for _, v := range variants {
		name := v.Name
		if v.Explicit {
			name += "*"
		}
		out = append(out, name)
	}
	return out
}
