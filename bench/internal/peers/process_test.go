//go:build unix

package peers

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

// patient is a timeout that is never reached, impatient one that always is.
const (
	patient   = time.Minute
	impatient = 200 * time.Millisecond
)

func TestPeerAnswers(t *testing.T) {
	p, err := startFake(t, "never", patient)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 10, 1000} {
		if got, err := p.ask(t.Context(), "create/fresh", n); err != nil || got.Elapsed != time.Duration(7*n) || got.Ops != n {
			t.Errorf("%d operations take %v, %v; want %v", n, got, err, time.Duration(7*n))
		}
	}
	if err := p.close(); err != nil {
		t.Errorf("the peer does not end with its input: %v", err)
	}
	if err := p.close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if _, err := p.ask(t.Context(), "create/fresh", 1); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("asked after its end: %v", err)
	}
}

func TestMisbehavingPeerIsReportedAndEnded(t *testing.T) {
	for _, c := range []struct {
		how, want string
		timeout   time.Duration
	}{
		{"dies", "its process ended: signal: killed: my last words", patient},
		{"exits", "its process ended: exit status 3", patient},
		{"ends", "its process ended: with status 0", patient},
		{"babbles", `said "what?" instead of a time`, patient},
		{"goes back", `said "ok -5 0 0 0" instead of a time`, patient},
		{"hangs", "no answer in time", impatient},
	} {
		t.Run(c.how, func(t *testing.T) {
			p, err := startFake(t, c.how, c.timeout)
			if err != nil {
				t.Skip("slow machine:", err)
			}
			for range goodSamples {
				if _, err := p.ask(t.Context(), "x", 1); err != nil {
					t.Skip("slow machine:", err)
				}
			}
			for range 2 { // it says the same again
				if _, err := p.ask(t.Context(), "x", 1); err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("the error is %v, want %s", err, c.want)
				}
			}
			if p.cmd.ProcessState == nil {
				t.Error("the process was left behind")
			}
			if err := p.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPeerThatIsNeverReadyIsReported(t *testing.T) {
	for _, c := range []struct {
		how, want string
		timeout   time.Duration
	}{
		{"start-mute", "no answer in time", impatient},
		{"start-dies", "its process ended: signal: killed", patient},
		{"start-other", `said "hello" instead of being ready`, patient},
	} {
		t.Run(c.how, func(t *testing.T) {
			if _, err := startFake(t, c.how, c.timeout); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
	if _, err := start(t.Context(), exec.Command(filepath.Join(t.TempDir(), "absent")), nil, patient); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestPeerSurvivesAFailureOfItsTask(t *testing.T) {
	p, err := startFake(t, "fails", patient)
	if err != nil {
		t.Fatal(err)
	}
	for sample := 1; sample <= goodSamples+2; sample++ {
		_, err := p.ask(t.Context(), "x", 1)
		if task := taskError(""); errors.As(err, &task) != (sample == goodSamples+1) {
			t.Errorf("sample %d: %v", sample, err)
		}
	}
}

func TestInterruptDoesNotWaitForThePeer(t *testing.T) {
	p, err := startFake(t, "hangs", patient)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range goodSamples {
		if _, err := p.ask(ctx, "x", 1); err != nil {
			t.Fatal(err)
		}
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := p.ask(ctx, "x", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want %v", err, context.Canceled)
	}
}

// A peer that dies in the middle of the rounds takes no other variant with it.
func TestDyingPeerLeavesTheOthersTheirRounds(t *testing.T) {
	variant := func(how string) measure.Variant {
		return measure.Variant{Name: how, Open: func(context.Context) (measure.Sampler, error) {
			p, err := startFake(t, how, patient)
			return &sampler{p, "x"}, err
		}}
	}
	plan := measure.Plan{Rounds: 3, Sample: 7 * time.Nanosecond, Clock: measure.NewClock()}
	out := plan.Run(t.Context(), measure.Experiment{
		Metrics:  []measure.Metric{measure.Nanoseconds("ns_per_op")},
		Variants: []measure.Variant{variant("never"), variant("dies"), variant("exits")},
	})
	for i, want := range []int{3, 1, 1} {
		s := out.Series[i]
		if len(s.Readings) != want || (s.Note != "") != (want == 1) {
			t.Errorf("%s has %d readings, want %d; note %q", s.Variant.Name, len(s.Readings), want, s.Note)
		}
	}
}
