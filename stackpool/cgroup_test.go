//go:build linux

package stackpool

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

// tree makes a file system of paths and contents.
func tree(files ...string) fstest.MapFS {
	t := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		t[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return t
}

const (
	mountV1 = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" +
		"32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n" +
		"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	groupV1 = "9:name=systemd:/\n4:memory:/outer/inner\n2:cpu,cpuacct:/other\n0::/\n"
	mountV2 = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
)

func TestLimitsOfControlGroupsAreFound(t *testing.T) {
	const (
		mib   = 1 << 20
		inner = "sys/fs/cgroup/memory/outer/inner/"
		outer = "sys/fs/cgroup/memory/outer/"
		two   = "sys/fs/cgroup/a b/c/"
	)
	for name, c := range map[string]struct {
		files []string
		file  string
		max   uint64
		used  uint64
	}{
		"none":      {nil, "", 0, 0},
		"no mounts": {[]string{"proc/self/cgroup", "0::/\n"}, "", 0, 0},
		"version 1, without a limit": {[]string{"proc/self/cgroup", groupV1, "proc/self/mountinfo", mountV1,
			inner + "memory.limit_in_bytes", "9223372036854771712\n", inner + "memory.usage_in_bytes", "5\n"}, "", 0, 0},
		"version 1": {[]string{"proc/self/cgroup", groupV1, "proc/self/mountinfo", mountV1,
			inner + "memory.limit_in_bytes", "104857600\n", inner + "memory.usage_in_bytes", "94371840\n",
			inner + "memory.stat", "cache 5\ninactive_file 7\ntotal_inactive_file 1048576\ntotal_active_file 2097152\n",
			outer + "memory.limit_in_bytes", "209715200\n", outer + "memory.usage_in_bytes", "94371840\n"},
			"/" + inner + "memory.limit_in_bytes", 100 * mib, 87 * mib},
		"version 1, the group above is the tighter one": {[]string{"proc/self/cgroup", groupV1, "proc/self/mountinfo", mountV1,
			inner + "memory.limit_in_bytes", "104857600\n", inner + "memory.usage_in_bytes", "4096\n",
			outer + "memory.limit_in_bytes", "209715200\n", outer + "memory.usage_in_bytes", "209715200\n"},
			"/" + outer + "memory.limit_in_bytes", 200 * mib, 200 * mib},
		"version 2, with a blank in its name": {[]string{"proc/self/cgroup", "0::/a b/c\n", "proc/self/mountinfo", mountV2,
			two + "memory.max", "max\n", two + "memory.current", "4096\n",
			"sys/fs/cgroup/a b/memory.max", "1048576\n", "sys/fs/cgroup/a b/memory.current", "1044480\n",
			"sys/fs/cgroup/a b/memory.stat", "anon 5\ninactive_file 4096\nactive_file 0\n"},
			"/sys/fs/cgroup/a b/memory.max", mib, mib - 8192},
		"a container that sees the whole name": {[]string{"proc/self/cgroup", "4:memory:/docker/abc/x\n",
			"proc/self/mountinfo", "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "7000000\n"},
			"/sys/fs/cgroup/memory/x/memory.limit_in_bytes", 7000000, 0},
		"a container whose group lies elsewhere": {[]string{"proc/self/cgroup", "0::/../other\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/memory.max", "9000000\n"}, "/sys/fs/cgroup/memory.max", 9000000, 0},
		"a name that begins like that of the mount": {[]string{"proc/self/cgroup", "0::/abc\n",
			"proc/self/mountinfo", "29 23 0:26 /ab /cg rw - cgroup2 cgroup2 rw\n", "cg/c/memory.max", "5\n", "cg/memory.max", "9\n"},
			"/cg/memory.max", 9, 0},
		"mounted over everything": {[]string{"proc/self/cgroup", "0::/a/b\n", "proc/self/mountinfo", "1 2 3 / / rw - cgroup2 c rw\n",
			"a/memory.max", "5000\n"}, "/a/memory.max", 5000, 0},
		"nonsense": {[]string{"proc/self/cgroup", "x\n::\n0::/a\n4:memory\n", "proc/self/mountinfo", "1 2 3\n - \n - cgroup2\n1 2 3 / /x rw - cgroup2 y z\n",
			"x/a/memory.max", "many\n"}, "", 0, 0},
	} {
		if g := memoryGroup(tree(c.files...)); g.file != c.file || g.max != c.max || g.used != c.used {
			t.Errorf("%s: %+v, want %d of %d in %q", name, g, c.used, c.max, c.file)
		}
	}
	// Whatever there is on this machine, it is readable.
	if g := memoryGroup(os.DirFS("/")); g.file != "" && groupNumber(os.DirFS("/"), g.file[1:]) != g.max {
		t.Errorf("%+v", g)
	}
}

func TestAFullControlGroupIsNamed(t *testing.T) {
	const mib = 1 << 20
	for used, want := range map[uint64]string{100 * mib: "memory.max", 99 * mib: "memory.max", 97 * mib: "memory", 0: "memory"} {
		f := facts{mapped: 5, group: groupLimit{"/sys/fs/cgroup/web/memory.max", 100 * mib, used}}
		err := f.blame("madvise", 64<<10, unix.ENOMEM)
		if err.Limit != want || !errors.Is(err, unix.ENOMEM) || !errors.Is(err, ErrStackLimit) {
			t.Errorf("with %d in use: %v", used, err)
		}
		if want == "memory.max" && (err.Value != 100*mib || !strings.Contains(err.Error(), "memory.max is 104857600") ||
			!strings.Contains(err.Error(), "raise it (/sys/fs/cgroup/web/memory.max)")) {
			t.Errorf("%v", err)
		}
	}
	// A limit of the process that was met is the one to name.
	f := facts{mapped: 5, rlimitAS: 6, group: groupLimit{"/memory.max", mib, mib}}
	if err := f.blame("mmap", 64<<10, unix.ENOMEM); err.Limit != "RLIMIT_AS" {
		t.Error(err)
	}
}
