// Package paragraph breaks text into lines.
package paragraph

import "strings"

// Width is that of all tables and texts of bench, in characters.
const Width = 100

// Wrap returns text with its words filled into lines of at most Width characters,
// each ended by a newline. The first line begins with first, the others with as
// many spaces. A word that is too long for a line has one of its own.
func Wrap(first, text string) string {
	indent := strings.Repeat(" ", len([]rune(first)))
	var b strings.Builder
	line, words := first, 0
	for _, word := range strings.Fields(text) {
		if words > 0 && len([]rune(line))+1+len([]rune(word)) > Width {
			b.WriteString(line + "\n")
			line, words = indent, 0
		}
		if words > 0 {
			line += " "
		}
		line += word
		words++
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}
