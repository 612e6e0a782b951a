package host

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// A Build says which program it was that measured.
type Build struct {
	Module   string `json:"module"`
	Version  string `json:"version"`  // of the module; "(devel)" if built from a work tree
	Revision string `json:"revision"` // of the sources, with "+changes" if they were changed since
	Flags    string `json:"flags"`    // those of the compiler that are not the default
}

// DescribeBuild looks at this program. The revision is the one that the go command
// has written into it; go run writes none, and then git is asked about the folder
// of the sources, if that is still there.
func DescribeBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{unknown, unknown, unknown, unknown}
	}
	b := describe(info)
	if b.Revision == unknown {
		b.Revision = revisionOf(source())
	}
	return b
}

func describe(info *debug.BuildInfo) Build {
	b := Build{
		Module:   orUnknown(info.Main.Path),
		Version:  orUnknown(info.Main.Version),
		Revision: unknown,
	}
	changed := false
	var flags []string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		case "vcs", "vcs.time", "GOOS", "GOARCH": // told elsewhere, or told by the revision
		default:
			if s.Value != "" {
				flags = append(flags, s.Key+"="+s.Value)
			}
		}
	}
	if changed && b.Revision != unknown {
		b.Revision += changes
	}
	b.Flags = orUnknown(strings.Join(flags, " "))
	return b
}

// changes marks a revision that is not all there was.
const changes = "+changes"

// source returns this file where it was when it was compiled; with -trimpath that is
// no file of this machine.
func source() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}

// revisionOf asks git which revision of the file is checked out. A repository that
// merely lies around the file, and does not have it, does not count.
func revisionOf(file string) string {
	if !filepath.IsAbs(file) {
		return unknown
	}
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", filepath.Dir(file)}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	if _, err := git("ls-files", "--error-unmatch", filepath.Base(file)); err != nil {
		return unknown
	}
	revision, err := git("rev-parse", "HEAD")
	if err != nil {
		return unknown
	}
	if status, err := git("status", "--porcelain", "--untracked-files=no"); err != nil || status != "" {
		revision += changes
	}
	return revision
}
