package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"greenthread/bench/internal/exp"
	"greenthread/bench/internal/host"
	"greenthread/bench/internal/hugepages"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/peers"
	"greenthread/bench/internal/pin"
	"greenthread/bench/internal/report"
	"greenthread/bench/internal/strace"
)

type suiteCmd struct {
	options
}

// Run runs the short suite.
func (c suiteCmd) Run(in *invocation) error {
	return c.measure(in, func(menu []measure.Experiment) ([]measure.Experiment, error) {
		return exp.Short(menu), nil
	})
}

type runCmd struct {
	Name   []string `arg:"" help:"Experiments (create) or variants (create/pthread), or all; see list."`
	Strace bool     `help:"Count system calls for each operation by strace, instead of time."`
	Trace  string   `placeholder:"FILE" help:"Have stackcache play this recorded trace, too, as its pattern trace."`
	options
}

// Run runs what was named.
func (c runCmd) Run(in *invocation) error {
	c.counted = c.Strace
	return c.measure(in, func(menu []measure.Experiment) ([]measure.Experiment, error) {
		if c.Trace != "" {
			var err error
			if menu, err = exp.WithTrace(menu, c.Trace); err != nil {
				return nil, usageError{fmt.Errorf("--trace: %w", err)}
			}
		}
		picked, err := exp.Pick(menu, c.Name...)
		if err != nil {
			return nil, usageError{err}
		}
		if c.Trace != "" && !slices.ContainsFunc(picked, exp.PlaysTrace) {
			return nil, usageError{errors.New("--trace: nothing that was named plays a trace; stackcache and stackcache/trace do")}
		}
		if c.Strace {
			return traced(picked)
		}
		return picked, nil
	})
}

// traced returns the experiments with system calls as their figures.
func traced(experiments []measure.Experiment) ([]measure.Experiment, error) {
	path, err := strace.Find()
	if err != nil {
		return nil, usageError{fmt.Errorf("--strace: %w", err)}
	}
	for i, e := range experiments {
		if experiments[i], err = strace.Counted(e, path); err != nil {
			return nil, usageError{fmt.Errorf("--strace: %w", err)}
		}
	}
	return experiments, nil
}

// pickOne returns what finds one variant for a process that is traced.
func pickOne(shop *peers.Shop) func(name string) (measure.Experiment, error) {
	return func(name string) (measure.Experiment, error) {
		picked, err := exp.Pick(exp.Menu(shop), name)
		if err != nil {
			return measure.Experiment{}, err
		}
		return picked[0], nil
	}
}

// options are the flags of commands that measure.
type options struct {
	Format string  `enum:"text,json,csv,benchfmt" default:"text" help:"Format of the result: text, json, csv or benchfmt (for benchstat)."`
	Output string  `short:"o" placeholder:"FILE" help:"Write the result to FILE instead of standard output."`
	Plot   string  `placeholder:"DIR" help:"Draw plots into DIR, as SVG and PNG."`
	HTML   string  `name:"html" placeholder:"FILE" help:"Write one page with plots and tables to FILE."`
	Save   string  `placeholder:"DIR" help:"Write the result in each format, the page and the plots, as SVG, into DIR."`
	Rounds *int    `placeholder:"N" help:"Samples per variant (default: 50; with --quick: 5; with --long: 300), or fewer where one takes long."`
	System bool    `help:"Set the huge pages of the whole machine to always for the run, and restore them (as root; see help thp)."`
	Quick  bool    `help:"Few and short rounds: an impression, not a figure." xor:"thoroughness"`
	CPU    *string `name:"cpu" placeholder:"LIST" help:"Use only these CPUs, such as 0 or 0,2-3, for the peers too."`
	Long   bool    `help:"Many rounds, for results to keep, and variants that else have to be named." xor:"thoroughness"`

	counted bool // samples are not filled up to a length
}

// plan says how thoroughly to measure.
func (o options) plan() (measure.Plan, error) {
	p := measure.Plan{Rounds: 50, Sample: 10 * time.Millisecond, Clock: measure.NewClock(), Meter: measure.NewMeter()}
	switch {
	case o.Quick:
		p.Rounds, p.Sample, p.Brief = 5, 2*time.Millisecond, true
	case o.Long:
		p.Rounds, p.Thorough = 300, true
	}
	if o.Rounds != nil {
		p.Rounds = *o.Rounds
	}
	if o.counted {
		p.Rounds, p.Sample = min(p.Rounds, strace.Rounds), 0
	}
	if p.Rounds < 1 {
		return p, usageError{fmt.Errorf("--rounds: %d is less than 1", p.Rounds)}
	}
	return p, nil
}

// measure runs the experiments that pick chooses from the menu, and writes the
// result.
func (o options) measure(in *invocation, pick func([]measure.Experiment) ([]measure.Experiment, error)) (err error) {
	plan, err := o.plan()
	if err != nil {
		return err
	}
	if o.CPU != nil {
		if err := pin.To(*o.CPU); err != nil { // if it succeeds, the program may have begun anew
			return usageError{fmt.Errorf("--cpu: %w", err)}
		}
	}
	shop := peers.NewShop()
	defer shop.Close()
	menu := exp.Menu(shop)
	if o.Long {
		menu = exp.Thorough(menu)
	}
	experiments, err := pick(menu)
	if err != nil {
		return err
	}
	outs, err := o.openOutputs(in.stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, outs.close()) }()
	if o.System {
		restore, e := hugepages.Always()
		if e != nil {
			return usageError{fmt.Errorf("--system: %w", e)}
		}
		defer func() { err = errors.Join(err, restore()) }()
	}

	doc := report.Document{Env: report.Env{
		Time:       time.Now(),
		Machine:    host.Describe(),
		Build:      host.DescribeBuild(),
		Backend:    exp.Backend(),
		CC:         shop.CC(in.ctx),
		CXX:        shop.CXX(in.ctx),
		Rounds:     plan.Rounds,
		SampleMS:   plan.Sample.Seconds() * 1000,
		Confidence: measure.Confidence,
	}}
	// The machine first: it is known now, and there is a wait ahead.
	if err := outs.begin(doc.Env); err != nil {
		return err
	}

	bar := newProgress(in.stderr, plan, experiments)
	plan.Progress = bar.step
	for _, e := range experiments { // after an interrupt they end at once
		doc.Sections = append(doc.Sections, report.Summarize(plan.Run(in.ctx, e)))
		outs.checkpoint(doc)
	}
	bar.clear()

	err = outs.finish(doc)
	if err == nil && in.ctx.Err() != nil {
		err = errInterrupted
	}
	return err
}
