package doctor

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A groupLimit is what a control group may have of something; file is empty if it
// is not limited.
type groupLimit struct {
	file      string // where it is set
	max, used uint64
}

// room is how much is left.
func (g groupLimit) room() uint64 { return g.max - min(g.used, g.max) }

// unlimited is the least that stands for no limit in version 1.
const unlimited = 1 << 60

// tightest returns the limit that leaves this process least room, of those of its
// control group and of the groups above: read returns the limit of one directory.
func tightest(root fs.FS, controller string, read func(dir string) groupLimit) groupLimit {
	var least groupLimit
	for _, version := range []string{controller, ""} {
		dir, top := groupDirectory(root, version)
		for dir != "" {
			g := read(dir)
			if g.max > 0 && g.max < unlimited && (least.file == "" || g.room() < least.room()) {
				g.file = path.Join("/", g.file)
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

// memoryLimit and pidsLimit read the limits of a directory, in either version.
func memoryLimit(root fs.FS) groupLimit {
	return tightest(root, "memory", func(dir string) groupLimit {
		for max, used := range map[string]string{
			"memory.max": "memory.current", "memory.limit_in_bytes": "memory.usage_in_bytes",
		} {
			if file := path.Join(dir, max); number(root, file) > 0 {
				return groupLimit{file, number(root, file), number(root, path.Join(dir, used))}
			}
		}
		return groupLimit{}
	})
}

func pidsLimit(root fs.FS) groupLimit {
	return tightest(root, "pids", func(dir string) groupLimit {
		file := path.Join(dir, "pids.max")
		return groupLimit{file, number(root, file), number(root, path.Join(dir, "pids.current"))}
	})
}

// quota returns how many CPUs' time the control group has, and where that is set.
func quota(root fs.FS) (cpus float64, file string) {
	g := tightest(root, "cpu", func(dir string) groupLimit {
		file := path.Join(dir, "cpu.max") // "200000 100000": of each 100 ms, 200 ms of time
		quota, period := number(root, file), uint64(0)
		if _, second, ok := strings.Cut(text(root, file), " "); ok {
			period, _ = strconv.ParseUint(strings.TrimSpace(second), 10, 64)
		}
		if period == 0 {
			file = path.Join(dir, "cpu.cfs_quota_us") // -1 if there is none
			quota, period = number(root, file), number(root, path.Join(dir, "cpu.cfs_period_us"))
		}
		if quota == 0 || period == 0 {
			return groupLimit{}
		}
		return groupLimit{file: file, max: quota * 1000 / period} // thousandths
	})
	return float64(g.max) / 1000, g.file
}

// groupDirectory finds the directory of the control group of this process, and the
// one above which nothing can be seen; "" if there is none. The controller is ""
// for version 2.
func groupDirectory(root fs.FS, controller string) (dir, top string) {
	group, found := "", false
	for line := range strings.Lines(text(root, "proc/self/cgroup")) { // 4:memory,cpu:/web
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) == 3 && (slices.Contains(strings.Split(f[1], ","), controller)) {
			group, found = f[2], true
		}
	}
	if !found {
		return "", ""
	}
	kind := "cgroup"
	if controller == "" {
		kind = "cgroup2"
	}
	for line := range strings.Lines(text(root, "proc/self/mountinfo")) {
		// 35 31 0:32 /inside /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
		mount, system, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(system)
		if len(m) < 5 || len(s) < 3 || s[0] != kind ||
			controller != "" && !slices.Contains(strings.Split(s[2], ","), controller) {
			continue
		}
		top = strings.TrimPrefix(path.Clean(m[4]), "/")
		below, ok := strings.CutPrefix(group+"/", strings.TrimSuffix(m[3], "/")+"/")
		if !ok || strings.Contains(below, "..") {
			return top, top // it lies elsewhere; what is mounted is the next best
		}
		return path.Join(top, below), top
	}
	return "", ""
}
