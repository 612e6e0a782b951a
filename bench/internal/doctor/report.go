package doctor

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"greenthread/bench/internal/paragraph"
)

// A Report is what bench doctor says.
type Report struct {
	Facts
	Capacities []Capacity `json:"capacities"`
	Advice     []string   `json:"advice"`
}

// NewReport draws the conclusions.
func NewReport(f Facts) Report {
	r := Report{Facts: f, Capacities: f.Capacities(), Advice: f.Advise()}
	if r.Advice == nil {
		r.Advice = []string{}
	}
	return r
}

// WriteText writes it for people.
func (r Report) WriteText(w io.Writer) error {
	p := printer{}
	r.machine(&p)
	r.probes(&p)
	r.limits(&p)
	r.capacities(&p)
	p.heading("advice")
	for _, a := range r.Advice {
		p.WriteString(paragraph.Wrap("  - ", a))
	}
	if len(r.Advice) == 0 {
		p.WriteString("  none: there is nothing to complain about\n")
	}
	_, err := w.Write(p.Bytes())
	return err
}

func (r Report) machine(p *printer) {
	p.heading("machine")
	kind := ""
	if r.Virtual {
		kind = ", a virtual machine"
	}
	p.line("cpu", "%s, %d usable (%s)%s", r.CPU, r.CPUs, r.List, kind)
	if r.QuotaCPUs > 0 {
		p.line("quota", "the time of %.3g CPUs (%s)", r.QuotaCPUs, r.QuotaFile)
	}
	p.line("kernel", "%s %s", r.Machine.Kernel, r.Arch)
	p.line("memory", "%s, of which %s are available; huge pages %s", amount(r.Total), amount(r.Available), r.THP)
	p.line("clock", "%s, %.0f ns for a look at it", orUnknown(r.Clock), r.ClockNS)
	p.line("go", "%s, GOMAXPROCS %d", r.Go, r.Procs)
	p.line("backend", "%s", r.Backend.Text)
	p.line("guards", "%s; %s", guardKinds[r.Guard.Kind], r.Guard.Probe)
}

func (r Report) probes(p *printer) {
	for _, part := range []struct {
		title  string
		probes []Probe
	}{{"futex operations", r.Futex}, {"tools", r.Tools}, {"peers", r.Peers}} {
		p.heading(part.title)
		same := map[string][]string{} // names of what is here, by what is said of it
		for _, probe := range part.probes {
			if probe.Here {
				same[probe.Text] = append(same[probe.Text], probe.Name)
			}
		}
		for _, probe := range part.probes {
			names := same[probe.Text]
			switch {
			case !probe.Here:
				p.line(probe.Name, "no: %s", probe.Text)
			case len(names) == 1:
				p.line(probe.Name, "%s", probe.Text)
			case names[0] == probe.Name:
				p.line(probe.Text, "%s", strings.Join(names, ", "))
			}
		}
	}
}

func (r Report) limits(p *printer) {
	p.heading("limits")
	limit := func(name string, max, used uint64, write func(uint64) string) {
		switch {
		case max == 0:
			p.line(name, "none")
		case used == 0:
			p.line(name, "%s", write(max))
		default:
			p.line(name, "%s, %s in use", write(max), write(used))
		}
	}
	limit("vm.max_map_count", r.MaxMaps, r.Maps, commas)
	p.line("vm.overcommit_memory", "%d: %s; %s of %s are promised", r.Overcommit, overcommits[r.Overcommit], amount(r.Promised), amount(r.Promisable))
	limit("RLIMIT_AS", r.SpaceMax, r.SpaceUsed, amount)
	limit("group's memory", r.Memory.GroupMax, r.Memory.GroupUsed, amount)
	limit("kernel.threads-max", r.Kernel.Max, r.Kernel.InUse, commas)
	limit("kernel.pid_max", r.Kernel.MaxID, 0, commas)
	if r.UserID == 0 && r.Kernel.UserMax > 0 {
		p.line("RLIMIT_NPROC", "%s, but not for root", commas(r.Kernel.UserMax))
	} else {
		limit("RLIMIT_NPROC", r.Kernel.UserMax, 0, commas)
	}
	limit("group's pids", r.Kernel.GroupMax, r.Kernel.GroupUsed, commas)
}

func (r Report) capacities(p *printer) {
	p.heading("how many threads there can be more, and what limits them")
	for _, c := range r.Capacities {
		if len(c.Bounds) == 0 {
			p.WriteString(paragraph.Wrap("  "+c.Kind+": ", "unknown: "+c.Why))
			continue
		}
		first := c.Bounds[0]
		text := fmt.Sprintf("%s: %s, limited by %s", c.Kind, commas(first.Threads), first.Limit)
		if first.Raise != "" {
			text += "; more by: " + first.Raise
		}
		p.WriteString(paragraph.Hang("  ", 4, text))
		for _, b := range c.Bounds {
			p.WriteString(paragraph.Wrap(fmt.Sprintf("    %-22s %13s  ", b.Limit, commas(b.Threads)), b.Why))
		}
	}
}

// guardKinds explains the kinds of guards.
var guardKinds = map[string]string{
	"madvise":  "by MADV_GUARD_INSTALL, which takes no memory maps",
	"mprotect": "by mprotect, which takes two memory maps for each",
	"none":     "none",
}

// overcommits explains the values of vm.overcommit_memory.
var overcommits = map[int]string{
	0: "a request is refused if it alone is too large",
	1: "no request is refused",
	2: "no more is promised than there is",
}

// A printer collects the text.
type printer struct{ bytes.Buffer }

func (p *printer) heading(title string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(title + "\n")
}

func (p *printer) line(name, format string, args ...any) {
	p.WriteString(paragraph.Wrap(fmt.Sprintf("  %-21s ", name), fmt.Sprintf(format, args...)))
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// commas writes a number with a comma before each group of three digits.
func commas(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
