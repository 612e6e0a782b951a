package exp

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"greenthread/bench/internal/measure"
)

// Peers starts co-processes that bring variants written in C and C++.
type Peers interface {
	// Open returns a sampler for one task of the named program, which is confined to
	// some CPUs if any are given.
	Open(ctx context.Context, program, task string, cpus ...int) (measure.Sampler, error)
}

// Menu returns all experiments in the order in which they are listed.
func Menu(peers Peers) []measure.Experiment {
	return []measure.Experiment{
		create(peers),
		switches(peers),
		yields(),
		channels(),
		launch(),
		spawn(peers),
		wake(peers),
		sleeping(),
		synchronize(),
		scale(),
		guard(),
		thp(),
		stackcache(cachePatterns...),
		futexes(),
		skynet(),
		check(),
	}
}

// UnknownError reports a name that is not on the menu.
type UnknownError struct {
	Name  string
	Known []string // what there would have been
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown experiment %q; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// Pick returns what names ask for, in the order of the menu. A name is that of an
// experiment ("create"), of one of its variants ("create/ucontext/fresh"), or what several
// of them begin with ("create/ucontext"). Names of several variants of one experiment are
// put together, so that these run interleaved; nothing is run twice. "all" is the whole
// menu. A variant that is explicit is only taken by its own name.
func Pick(menu []measure.Experiment, names ...string) ([]measure.Experiment, error) {
	if slices.Contains(names, "all") {
		names = append(slices.Clone(names), experimentNames(menu)...)
	}
	wanted := make([]map[string]bool, len(menu)) // variants by name
	for _, name := range names {
		if name == "all" {
			continue
		}
		head, variant, one := strings.Cut(name, "/")
		i := slices.IndexFunc(menu, func(e measure.Experiment) bool { return e.Name == head })
		if i < 0 {
			return nil, &UnknownError{Name: name, Known: append(experimentNames(menu), "all")}
		}
		chosen := variantNames(ordinary(menu[i].Variants))
		if all := variantNames(menu[i].Variants); one && slices.Contains(all, variant) {
			chosen = []string{variant}
		} else if one {
			chosen = slices.DeleteFunc(chosen, func(v string) bool { return !strings.HasPrefix(v, variant+"/") })
			if len(chosen) == 0 {
				return nil, &UnknownError{Name: name, Known: prefixed(head+"/", all)}
			}
		}
		if wanted[i] == nil {
			wanted[i] = make(map[string]bool)
		}
		for _, v := range chosen {
			wanted[i][v] = true
		}
	}

	var picked []measure.Experiment
	for i, e := range menu {
		if wanted[i] == nil {
			continue
		}
		e.Variants = slices.DeleteFunc(slices.Clone(e.Variants), func(v measure.Variant) bool {
			return !wanted[i][v.Name]
		})
		picked = append(picked, e)
	}
	return picked, nil
}

// Short returns the short suite.
func Short(menu []measure.Experiment) []measure.Experiment {
	short := slices.DeleteFunc(slices.Clone(menu), func(e measure.Experiment) bool { return !e.Short })
	for i := range short {
		short[i].Variants = ordinary(short[i].Variants)
	}
	return short
}

// Thorough returns the menu with no variant that has to be named.
func Thorough(menu []measure.Experiment) []measure.Experiment {
	menu = slices.Clone(menu)
	for i := range menu {
		menu[i].Variants = slices.Clone(menu[i].Variants)
		for j := range menu[i].Variants {
			menu[i].Variants[j].Explicit = false
		}
	}
	return menu
}

// ordinary returns the variants that need not be named.
func ordinary(variants []measure.Variant) []measure.Variant {
	return slices.DeleteFunc(slices.Clone(variants), func(v measure.Variant) bool { return v.Explicit })
}

func experimentNames(menu []measure.Experiment) []string {
	var names []string
	for _, e := range menu {
		names = append(names, e.Name)
	}
	return names
}

func variantNames(variants []measure.Variant) []string {
	var names []string
	for _, v := range variants {
		names = append(names, v.Name)
	}
	return names
}

func prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = prefix + n
	}
	return out
}

//go:embed help/*.txt
var pages embed.FS

// page returns the page of help of an experiment.
func page(experiment string) string {
	text, err := pages.ReadFile("help/" + experiment + ".txt")
	if err != nil {
		panic(err) // the page is part of the program
	}
	return string(text)
}
