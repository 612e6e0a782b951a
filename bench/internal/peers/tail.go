package peers

import (
	"bytes"
	"strings"
	"sync"
)

// A tail keeps the end of what is written to it: enough to say why something
// failed, whatever the amount.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if cut := len(t.text) - tailSize; cut > 0 {
		t.text = append(t.text[:0], t.text[cut:]...)
	}
	return len(p), nil
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Split(string(bytes.TrimSpace(t.text)), "\n")
}

// lastLine is the last thing said.
func (t *tail) lastLine() string {
	lines := t.lines()
	return lines[len(lines)-1]
}

// firstError is the first line of a compiler's complaints that is one.
func (t *tail) firstError() string {
	for _, line := range t.lines() {
		for _, mark := range []string{"error: ", "cannot find "} {
			if i := strings.Index(line, mark); i >= 0 {
				return strings.TrimPrefix(line[i:], "error: ")
			}
		}
	}
	return t.lastLine()
}
