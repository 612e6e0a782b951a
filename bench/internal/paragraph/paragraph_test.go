package paragraph

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrapKeepsTheWordsAndTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zé]{1,80}`)).Draw(t, "words")
		first := rapid.StringMatching(`[a-z]{0,10}: `).Draw(t, "first")
		text := Wrap(first, strings.Join(words, "  "))
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if len([]rune(line)) > Width {
				t.Errorf("line %d is too wide: %q", i, line)
			}
			if i > 0 && (len(line) <= len(first) || strings.TrimLeft(line, " ") != line[len(first):]) {
				t.Errorf("line %d is not indented by %d: %q", i, len(first), line)
			}
		}
		got := strings.Fields(strings.TrimPrefix(text, strings.TrimRight(first, " ")))
		if strings.Join(got, " ") != strings.Join(words, " ") {
			t.Errorf("the words are %q, want %q", got, words)
		}
	})
}

func TestLinesAreFilled(t *testing.T) {
	text := Wrap("- ", strings.Repeat("word ", 40)) // 5 characters each, 19 of them in a line
	want := "- " + strings.TrimSuffix(strings.Repeat("word ", 19), " ") + "\n"
	if first, _, _ := strings.Cut(text, "\n"); first+"\n" != want {
		t.Errorf("the first line is %q, want %q", first, want)
	}
}

func TestFurtherLinesHangAndLongWordsAreBroken(t *testing.T) {
	text := Hang("  name: ", 4, strings.Repeat("word ", 40)+strings.Repeat("é", 250)+" end")
	want := []string{
		"  name: " + strings.TrimSpace(strings.Repeat("word ", 18)),
		"    " + strings.TrimSpace(strings.Repeat("word ", 19)),
		"    word word word",
		"    " + strings.Repeat("é", 92),
		"    " + strings.Repeat("é", 92),
		"    " + strings.Repeat("é", 66) + " end",
	}
	if got := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("the lines are %q", got)
	}
}
