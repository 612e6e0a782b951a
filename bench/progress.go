package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"greenthread/bench/internal/measure"
)

// A progress is a line on a terminal that tells how far the measurement is, and how long
// the rest will take. It writes only between rounds, never while something is measured.
type progress struct {
	bar      *progressbar.ProgressBar // nil where there is no terminal
	rounds   map[string]int           // by experiment
	estimate *estimate
}

// newProgress returns a progress line for the experiments. It is silent if w is no
// terminal.
func newProgress(w io.Writer, plan measure.Plan, experiments []measure.Experiment) progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return progress{}
	}
	p := progress{rounds: map[string]int{}, estimate: newEstimate(plan, experiments, time.Now)}
	for _, e := range experiments {
		p.rounds[e.Name] = plan.RoundsOf(e)
	}
	p.bar = progressbar.NewOptions(1000,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)
	return p
}

// step shows the round that is about to begin.
func (p progress) step(experiment string, round int) {
	if p.bar == nil {
		return
	}
	left := p.estimate.begin(experiment, round)
	text := experiment + ", preparing"
	if round > 0 {
		text = fmt.Sprintf("%s, round %d of %d", experiment, round, p.rounds[experiment])
	}
	p.bar.Describe(text + ", " + inWords(left) + " left")
	_ = p.bar.Set(int(1000 * p.estimate.share())) // a progress line that cannot be written is no loss
}

// clear takes the line away.
func (p progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// inWords says about how long d is.
func inWords(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("about %d s", int(d.Seconds()+0.5))
	}
	return fmt.Sprintf("about %d min", int(d.Minutes()+0.5))
}
