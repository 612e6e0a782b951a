package disasm

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"greenthread/asm"
)

// look looks at this program, where there is something to see.
func look(t *testing.T) Report {
	t.Helper()
	r, err := Look()
	if err != nil {
		t.Skip(err)
	}
	return r
}

// What a native switch has to do: C's ABI names the registers to be kept, each is
// stored once, with a word or two for control words.
func TestNativeSwitchStoresAndLoadsWhatCWantsKept(t *testing.T) {
	r := look(t)
	kept, ok := map[string]int{
		"amd64": 8,          // SP, PC, BP, BX, R12 to R15
		"arm64": 2 + 11 + 8, // SP and LR, R19 to R29, F8 to F15
	}[runtime.GOARCH]
	if !ok || len(r.Native) == 0 {
		t.Skip(r.Notes)
	}
	words, registers := r.Native[0], r.Native[1]
	if got, want := registers.Stores, kept+1; got != want {
		t.Errorf("SwapRegisters stores %d times, want the registers and the mark for no control words, %d", got, want)
	}
	if got, want := words.Stores, kept+2; got != want {
		t.Errorf("SwapContext stores %d times, want the registers and two control words, %d", got, want)
	}
	if words.Locked+registers.Locked != 0 {
		t.Errorf("%d and %d locked operations, want none", words.Locked, registers.Locked)
	}
	if runtime.GOARCH != "amd64" {
		return
	}
	if got, want := registers.Loads, kept+1; got != want {
		t.Errorf("SwapRegisters loads %d times, want the registers and the return address, %d", got, want)
	}
	if registers.Branches != 0 || words.Branches != 1 {
		t.Errorf("%d and %d branches, want one, for the x87 control word", registers.Branches, words.Branches)
	}
}

// While nobody marks, amd64 changes the status of the two goroutines by plain stores;
// a collector that marks makes them compare-and-swaps, two for each of the two
// switches. arm64 always has these.
func TestSwitchOfACoroutineHasNoLockedOperationButForTheCollector(t *testing.T) {
	r := look(t)
	if len(r.Coroutine) == 0 {
		t.Skip(r.Notes)
	}
	onPath, off := map[string]int{"amd64": 0, "arm64": 2}[runtime.GOARCH], map[string]int{"amd64": 4, "arm64": 0}[runtime.GOARCH]
	for _, p := range r.Coroutine {
		want := 0
		switch {
		case strings.HasPrefix(p.Title, "Resume, Go code"):
			want = 1 // the claim
		case strings.HasSuffix(p.Title, ", the switch"):
			want = onPath
		}
		if p.Locked != want {
			t.Errorf("%s: %d locked operations, want %d", p.Title, p.Locked, want)
		}
	}
	if r.OffPath != off {
		t.Errorf("there are %d locked operations off the path, want %d", r.OffPath, off)
	}
}

func TestCountsAreThoseOfTheListing(t *testing.T) {
	r := look(t)
	for _, p := range append(r.Coroutine, r.Native...) {
		var c Counts
		for i, in := range p.Code {
			locked, branches := 0, 0
			if in.Locked {
				locked = 1
			}
			if in.flow == branch {
				branches = 1
			}
			c = c.plus(Counts{1, in.Loads, in.Stores, locked, branches, in.Length})
			if last := i == len(p.Code)-1; last != (in.flow == away || in.flow == back) {
				t.Errorf("%s ends with %s, or goes on after it", p.Title, in.Text)
			}
		}
		if c != p.Counts || c.Instructions == 0 {
			t.Errorf("%s: %+v in the listing, %+v in the table", p.Title, c, p.Counts)
		}
	}
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len([]rune(line)) > 101 {
			t.Errorf("a line is wider than 100: %s", line)
		}
	}
}

func TestPathThatIsNoneIsAnError(t *testing.T) {
	if err := asm.Check(); err != nil {
		t.Skip(err)
	}
	if p, err := goPath("x", strings.Contains, 1); err == nil {
		t.Errorf("a function without a switch has the path %+v", p.Counts)
	}
}
