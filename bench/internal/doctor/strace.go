package doctor

import (
	"context"
	"errors"
	"os/exec"
	"strings"
)

// strace asks strace for its version.
func strace(ctx context.Context) (string, error) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return "", errors.New("not found")
	}
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", err
	}
	version, _, _ := strings.Cut(string(said), "\n")
	return version, nil
}
