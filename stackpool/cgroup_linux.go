package stackpool

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// groupLimit is what a control group may have of memory. The zero value is no
// limit.
type groupLimit struct {
	file string // where it is set: "/sys/fs/cgroup/web/memory.max"
	max  uint64 // bytes
	used uint64 // bytes of it, without what the kernel would drop from its caches
}

// groupSlack is how near to the limit of a group a refusal may have been that it
// caused: the kernel charges memory some pages ahead, on each processor, and what
// was in use has changed since.
const groupSlack = 2 << 20

// full tells whether this limit may have refused a few pages.
func (g groupLimit) full() bool { return g.file != "" && g.used+groupSlack > g.max }

// room returns how much may still be used.
func (g groupLimit) room() uint64 { return g.max - min(g.used, g.max) }

// err makes the error of who ran into the limit.
func (g groupLimit) err(cause error) *LimitError {
	return &LimitError{
		Limit:  path.Base(g.file),
		Value:  g.max,
		Remedy: fmt.Sprintf("raise it (%s), or use fewer or smaller stacks and guards, or a Config.Policy that gives back more", g.file),
		Err:    cause,
	}
}

// The files of a control group's limit on memory, in the two versions that there are.
var groupFiles = []struct {
	kind, controller string // type of file system, and its option
	max, used        string
}{
	{"cgroup2", "", "memory.max", "memory.current"},
	{"cgroup", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"},
}

// memoryGroup returns the limit that leaves this process least room, of those of its
// control group and of all groups above it. What cannot be read is no limit.
func memoryGroup(root fs.FS) groupLimit {
	var least groupLimit
	for _, version := range groupFiles {
		dir, top := groupDirectory(root, version.kind, version.controller)
		for dir != "" && dir != "." {
			g := groupLimit{
				file: path.Join("/", dir, version.max),
				max:  groupNumber(root, path.Join(dir, version.max)),
				used: groupNumber(root, path.Join(dir, version.used)),
			}
			g.used -= min(g.used, groupCache(root, dir))
			if g.max > 0 && g.max < 1<<62 && (least.file == "" || g.room() < least.room()) {
				least = g
			}
			if dir == top {
				break
			}
			dir = path.Dir(dir)
		}
	}
	return least
}

// groupDirectory finds the directory of the group in which this process is, and
// the one above which nothing can be seen; "" if there is none.
func groupDirectory(root fs.FS, kind, controller string) (dir, top string) {
	group := ""
	for line := range groupLines(root, "proc/self/cgroup") { // 4:memory,cpu:/web
		if f := strings.SplitN(line, ":", 3); len(f) == 3 && listed(f[1], controller) {
			group = f[2]
		}
	}
	if group == "" {
		return "", ""
	}
	for line := range groupLines(root, "proc/self/mountinfo") {
		// 35 31 0:32 /inside /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
		mount, system, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(system)
		if len(m) < 5 || len(s) < 3 || s[0] != kind || controller != "" && !listed(s[2], controller) {
			continue
		}
		top = strings.TrimPrefix(path.Clean(groupEscapes.Replace(m[4])), "/")
		below, ok := strings.CutPrefix(group+"/", strings.TrimSuffix(groupEscapes.Replace(m[3]), "/")+"/")
		if !ok || strings.Contains(below, "..") {
			return top, top // it lies elsewhere; what is mounted is the next best
		}
		return path.Join(top, below), top
	}
	return "", ""
}

// groupEscapes are the characters that mountinfo writes in octal.
var groupEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// groupLines yields the lines of a file.
func groupLines(root fs.FS, name string) func(func(string) bool) {
	text, _ := fs.ReadFile(root, name)
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(text)) {
			if !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
		}
	}
}

// listed tells whether a word is in a list with commas; the empty word is only in
// the empty list.
func listed(list, word string) bool { return slices.Contains(strings.Split(list, ","), word) }

// groupNumber reads a number; "max" and what cannot be read are 0.
func groupNumber(root fs.FS, name string) uint64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// groupCache returns how much of a group's memory is cached files.
func groupCache(root fs.FS, dir string) uint64 {
	stat := map[string]uint64{}
	for line := range groupLines(root, path.Join(dir, "memory.stat")) {
		name, number, _ := strings.Cut(line, " ")
		stat[name], _ = strconv.ParseUint(number, 10, 64)
	}
	if n, ok := stat["total_inactive_file"]; ok { // version 1, where the other ones leave out the groups below
		return n + stat["total_active_file"]
	}
	return stat["inactive_file"] + stat["active_file"]
}
