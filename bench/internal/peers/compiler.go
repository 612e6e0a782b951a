package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"greenthread/bench/internal/group"
	"greenthread/bench/internal/measure"
)

// A compiler is a command that was found to work.
type compiler struct {
	command []string // with the user's own flags, if there are any
	path    string   // of command[0]
	version string   // first line that it says about itself
}

// candidates are the commands tried for a language, after the one that the
// environment variable names.
var candidates = map[language]struct {
	variable string
	commands []string
	what     string
}{
	langC:   {"CC", []string{"cc", "gcc", "clang"}, "C"},
	langCXX: {"CXX", []string{"c++", "g++", "clang++"}, "C++"},
}

const (
	versionTimeout = 10 * time.Second
	compileTimeout = 60 * time.Second
)

// findCompiler looks for a compiler. If the user named one, only that will do.
func findCompiler(ctx context.Context, lang language) (compiler, error) {
	c := candidates[lang]
	if named := strings.Fields(os.Getenv(c.variable)); len(named) > 0 {
		found, err := tryCompiler(ctx, named)
		if err != nil {
			return compiler{}, measure.Unavailablef("%s=%s does not work: %v", c.variable, strings.Join(named, " "), err)
		}
		return found, nil
	}
	for _, name := range c.commands {
		if found, err := tryCompiler(ctx, []string{name}); err == nil {
			return found, nil
		}
	}
	return compiler{}, measure.Unavailablef("no %s compiler found", c.what)
}

// tryCompiler asks a command for its version.
func tryCompiler(ctx context.Context, command []string) (compiler, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return compiler{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return compiler{}, err
	}
	version, _, _ := strings.Cut(string(text), "\n")
	return compiler{command: command, path: path, version: strings.TrimSpace(version)}, nil
}

// compile compiles p, whose sources are in the folder src, to the file output.
func (c compiler) compile(ctx context.Context, p program, src, output string) error {
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	var said tail
	cmd := exec.CommandContext(ctx, c.path, c.arguments(p, output)...)
	group.Own(cmd)
	cmd.Dir = src
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, said.firstError())
	}
	return nil
}

// arguments are those of the compiler's command line.
func (c compiler) arguments(p program, output string) []string {
	args := append([]string{}, c.command[1:]...)
	args = append(args, p.flags...)
	args = append(args, "-o", output, p.source)
	return append(args, p.libs...)
}
