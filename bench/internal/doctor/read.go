package doctor

import (
	"io/fs"
	"strconv"
	"strings"
)

// text reads a file of the system; what cannot be read is empty.
func text(root fs.FS, name string) string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number reads a file that begins with a number; "max" and what cannot be read are 0.
func number(root fs.FS, name string) uint64 {
	first, _, _ := strings.Cut(text(root, name), " ")
	n, _ := strconv.ParseUint(first, 10, 64)
	return n
}

// table reads lines such as "VmSize:  1234 kB"; amounts become bytes.
func table(root fs.FS, name string) map[string]uint64 {
	t := map[string]uint64{}
	for line := range strings.Lines(text(root, name)) {
		key, value, _ := strings.Cut(line, ":")
		amount, kib := strings.CutSuffix(strings.TrimSpace(value), " kB")
		if n, err := strconv.ParseUint(strings.TrimSpace(amount), 10, 64); err == nil {
			if kib {
				n <<= 10
			}
			t[key] = n
		}
	}
	return t
}

// lines counts the lines of a file.
func lines(root fs.FS, name string) uint64 {
	if s := text(root, name); s != "" {
		return uint64(strings.Count(s, "\n")) + 1
	}
	return 0
}
