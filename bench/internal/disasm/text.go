package disasm

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"greenthread/bench/internal/paragraph"
)

// WriteText writes the counts as a table, and then the instructions.
func (r Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "the switch of this program, %s %s\n\n", r.Go, r.Arch)
	r.table(&b)
	for _, n := range r.Notes {
		b.WriteString("\n" + paragraph.Wrap("note: ", n))
	}
	for _, p := range append(append([]Path{}, r.Coroutine...), r.Native...) {
		p.listing(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// table writes the counts, with the sums of both ways.
func (r Report) table(b *bytes.Buffer) {
	fmt.Fprintf(b, "%-40s%13s%7s%8s%8s%10s%7s\n", "", "instructions", "loads", "stores", "locked", "branches", "bytes")
	row := func(title string, c Counts) {
		fmt.Fprintf(b, "%-40s%13d%7d%8d%8d%10d%7d\n", title, c.Instructions, c.Loads, c.Stores, c.Locked, c.Branches, c.Bytes)
	}
	if len(r.Coroutine) > 0 {
		fmt.Fprintln(b, "a coroutine, there and back")
		var all Counts
		for _, p := range r.Coroutine {
			row("  "+p.Title, p.Counts)
			all = all.plus(p.Counts)
		}
		row("  together", all)
	}
	if len(r.Native) > 0 {
		fmt.Fprintln(b, "native contexts, there and back")
		for _, p := range r.Native {
			title, _, _ := strings.Cut(p.Title, ",")
			row("  "+title+", twice", p.Counts.plus(p.Counts))
		}
	}
	taken := "No branch is taken: each leads to something rare."
	if r.Arch == "arm64" {
		taken = "No branch is taken, but those past a single instruction: what they lead to is rare."
	}
	b.WriteString("\n" + paragraph.Wrap("", taken+` A load or a store is one access by an instruction, which may be of two
words. A locked operation is one that no other processor can come in between.`))
	if r.OffPath > 0 {
		fmt.Fprintf(b, "While the collector marks, the switches execute %d locked operations more.\n", r.OffPath)
	}
	b.WriteString("\n" + paragraph.Wrap("", `A path is listed below from its first instruction to the jump to the other stack. What
Resume and Yield do from there to their ends, to return a value, is not counted. `+registers[r.Arch]))
}

// registers says how to read the instructions of an architecture, in Go's notation.
var registers = map[string]string{
	"amd64": `Numbers to the left are offsets in the function. R14 points to the goroutine that runs (Go's g), and
FS:-0x8 is where Go keeps g for each kernel thread; 0x10(R14) is the memory 16 bytes behind that, and (IP) a variable of
the program. The destination is the last operand.`,
	"arm64": `Numbers to the left are offsets in the function. R28 points to the goroutine that runs (Go's g); 16(R28) is
the memory 16 bytes behind that. The destination is the last operand, but for stores, where it is memory.`,
}

// listing writes the instructions of one path.
func (p Path) listing(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%s\n", p.Title)
	function := ""
	for _, in := range p.Code {
		if in.Function != function {
			function = in.Function
			fmt.Fprintf(b, "  %s\n", function)
		}
		line := fmt.Sprintf("    %5x  %-44s %s", in.Offset, in.Text, in.accesses())
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// accesses says in words what an instruction does to memory.
func (in Instruction) accesses() string {
	var words []string
	for _, w := range []struct {
		is   bool
		word string
	}{{in.Locked, "locked"}, {in.Loads > 0, "load"}, {in.Stores > 0, "store"},
		{in.Taken, "taken"}, {in.flow == branch && !in.Taken, "not taken"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}
