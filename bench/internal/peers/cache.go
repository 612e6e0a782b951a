package peers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A cache keeps compiled programs. A program's name holds a hash of all that
// went into it, so nothing in the folder ever has to be replaced.
type cache struct {
	dir       string
	temporary bool // remove it at the end
}

// openCache uses the user's cache folder, or a temporary one if there is none
// that can be written to.
func openCache() (cache, error) {
	if user, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(user, "greenthread-bench")
		if os.MkdirAll(dir, 0o700) == nil && writable(dir) {
			return cache{dir: dir}, nil
		}
	}
	dir, err := os.MkdirTemp("", "greenthread-bench-")
	return cache{dir: dir, temporary: true}, err
}

func writable(dir string) bool {
	probe, err := os.CreateTemp(dir, "probe-")
	if err != nil {
		return false
	}
	probe.Close()
	return os.Remove(probe.Name()) == nil
}

func (c cache) close() error {
	if c.temporary {
		return os.RemoveAll(c.dir)
	}
	return nil
}

// get returns the path of the compiled program, compiling it first if it is not
// there, or if anew is set. fresh tells that it did.
func (c cache) get(ctx context.Context, cc compiler, p program, anew bool) (path string, fresh bool, err error) {
	src := sources()
	key, err := hash(src, cc, p)
	if err != nil {
		return "", false, err
	}
	path = filepath.Join(c.dir, p.source+"-"+key)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !anew {
		return path, false, nil
	}

	// A complete program takes its place in one step, so that a run beside this
	// one never sees half of it.
	work, err := os.MkdirTemp(c.dir, "build-")
	if err != nil {
		return "", false, err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, src); err != nil {
		return "", false, err
	}
	built := filepath.Join(work, "program")
	if err := cc.compile(ctx, p, work, built); err != nil {
		return "", false, err
	}
	return path, true, os.Rename(built, path)
}

// hash names everything that the compiled program depends on: the sources, the
// compiler and its command line.
func hash(src fs.FS, cc compiler, p program) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", cc.path, cc.version, strings.Join(cc.arguments(p, "program"), "\x00"))
	err := fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(src, name)
		fmt.Fprintf(h, "%s %d\n%s\n", name, len(text), text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}
