// Package paragraph breaks text into lines.
package paragraph

import (
	"strings"
	"unicode/utf8"
)

// Width is that of all tables and texts of bench, in characters.
const Width = 100

// Wrap returns text with its words filled into lines of at most Width characters,
// each ended by a newline. The first line begins with first, the others with as
// many spaces. A word that is too long for a line is broken.
func Wrap(first, text string) string {
	return Hang(first, utf8.RuneCountInString(first), text)
}

// Hang does what Wrap does, with the indent of the further lines given.
func Hang(first string, indent int, text string) string {
	margin := strings.Repeat(" ", indent)
	var b strings.Builder
	line, space := first, ""
	for _, word := range pieces(text, Width-max(indent, utf8.RuneCountInString(first))) {
		if utf8.RuneCountInString(line+space+word) > Width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, space = margin, ""
		}
		line += space + word
		space = " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// pieces returns the words of text, with those that are wider than width broken.
func pieces(text string, width int) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		runes := []rune(word)
		for len(runes) > width {
			out = append(out, string(runes[:width]))
			runes = runes[width:]
		}
		out = append(out, string(runes))
	}
	return out
}
