package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// header returns what the compiler tells the assembler about package runtime: the
// offsets of fields, TYPE_FIELD, and the constants, const_NAME.
func header(arch string) (map[string]uint64, error) {
	work, err := os.MkdirTemp("", "gentable")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	// The compiler is asked for the header anyway; the flag, which never was the same
	// before, keeps the build cache from leaving the compiler out.
	cmd := exec.Command("go", "build", "-work", "-gcflags=runtime=-asmhdr="+filepath.Join(work, "h"), "runtime")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "GOTMPDIR="+work, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	headers, err := filepath.Glob(filepath.Join(work, "go-build*", "*", "go_asm.h"))
	if err != nil {
		return nil, err
	}
	for _, name := range headers {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if numbers := parse(text); numbers["g__size"] != 0 {
			return numbers, nil
		}
	}
	return nil, fmt.Errorf("%v left no go_asm.h of package runtime", cmd)
}

// parse reads the lines "#define NAME NUMBER" of a header.
func parse(text []byte) map[string]uint64 {
	numbers := map[string]uint64{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 3 || f[0] != "#define" {
			continue
		}
		if n, err := strconv.ParseUint(f[2], 0, 64); err == nil {
			numbers[f[1]] = n
		}
	}
	return numbers
}
