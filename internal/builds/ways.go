package main

import "runtime"

// The backends that a row may promise.
const (
	native   = "native"
	portable = "portable"
	none     = "not run"
)

// What is run of a row.
const (
	suite   = "suite"   // tests, those of runtime on both backends unless one is asked for; and smoke
	smoking = "smoke"   // internal/builds/smoke, in a program
	shared  = "shared"  // the same, in a library that a program in C opens
	plug    = "plugin"  // the same, in a plugin
	vet     = "go vet"  // only compiled, and vetted
	covered = "covered" // smoke, and its coverage is not empty
)

// A way is a row of the table: where, with which Go, how to build, and what is to be seen.
type way struct {
	platform  string // GOOS/GOARCH
	toolchain string // "" is the one at hand
	name      string // how the table calls it; flags, mostly as they are typed
	flags     []string
	env       []string
	packages  []string // of a suite, if not all
	emulator  string   // what runs the programs, if this machine does not
	program   string   // which of internal/builds, if not "program"
	run       string
	backend   string
	needs     []string // commands that it cannot do without
	why       string   // of a backend that is not native, a part of the reason that must be given
}

const newer = "go1.27.4"

// For tests that an emulator runs, see CONTRIBUTING.md: asm fails where the native backend is refused.
var (
	arm64   = []string{"CGO_ENABLED=0", "GREENTHREAD_BACKEND=native", "GREENTHREAD_TEST_EMULATOR=qemu-aarch64"}
	crossed = []string{"CGO_ENABLED=1", "GREENTHREAD_BACKEND=native", "GREENTHREAD_TEST_EMULATOR=qemu-aarch64",
		"CC=aarch64-linux-gnu-gcc", "QEMU_LD_PREFIX=/usr/aarch64-linux-gnu"}
)

// ways is the table, but for its results. What steps of .ci/run have tested in the same way
// is not tested again there: the go command keeps the results. The suite of the runtime under
// the race detector is such a step only, since it takes minutes.
var ways = []way{
	{run: suite, name: "go test", backend: native},
	{run: suite, name: "CGO_ENABLED=0", env: []string{"CGO_ENABLED=0", "GREENTHREAD_BACKEND=native"}, packages: []string{"./asm", "./runtime"}, backend: native},
	{run: suite, name: "-race", flags: []string{"-race"}, packages: []string{"./asm"}, backend: native, needs: []string{"gcc"}},
	{run: suite, name: "-gcflags=all=-d=checkptr", flags: []string{"-gcflags=all=-d=checkptr"}, env: []string{"GREENTHREAD_BACKEND=native"},
		packages: []string{"./asm", "./stackpool", "./futex", "./runtime"}, backend: native},
	{run: suite, name: "-tags greenthread_unknown_go", flags: []string{"-tags", "greenthread_unknown_go"}, packages: []string{"./asm", "./runtime"},
		backend: portable, why: "no table of offsets for go1.999"},
	{run: suite, toolchain: newer, name: "go test", packages: []string{"./asm", "./stackpool", "./futex", "./runtime"}, backend: native},

	{run: smoking, name: "-ldflags='-s -w'", flags: []string{"-ldflags=-s -w"}, backend: native},
	{run: smoking, name: "-trimpath", flags: []string{"-trimpath"}, backend: native},
	{run: smoking, name: "-buildmode=pie", flags: []string{"-buildmode=pie"}, backend: native},
	{run: shared, name: "-buildmode=c-shared", flags: []string{"-buildmode=c-shared"}, env: []string{"CGO_ENABLED=1"}, needs: []string{"gcc"},
		backend: portable, why: "no handler of Go's for trace/breakpoint trap"},
	{run: plug, name: "-buildmode=plugin", flags: []string{"-buildmode=plugin"}, env: []string{"CGO_ENABLED=1"}, needs: []string{"gcc"},
		backend: portable, why: "the flag of write barriers does not show"},
	{run: smoking, name: "-gcflags=all='-N -l'", flags: []string{"-gcflags=all=-N -l"}, backend: native},
	{run: smoking, name: "-gcflags=all=-N", flags: []string{"-gcflags=all=-N"}, backend: native},
	{run: smoking, name: "-gcflags=all=-l", flags: []string{"-gcflags=all=-l"}, backend: native},
	{run: covered, name: "-cover -coverpkg=./...", flags: []string{"-cover", "-coverpkg=./..."}, backend: native},
	{run: smoking, name: "GOAMD64=v2", env: []string{"GOAMD64=v2"}, backend: native},
	{run: smoking, name: "GOAMD64=v3", env: []string{"GOAMD64=v3"}, backend: native},
	{run: smoking, name: "-asan", flags: []string{"-asan"}, env: []string{"CGO_ENABLED=1"}, needs: []string{"gcc"},
		backend: portable, why: "sanitizers"},
	{run: smoking, name: "-msan", flags: []string{"-msan"}, env: []string{"CGO_ENABLED=1", "CC=clang"}, needs: []string{"clang"},
		backend: portable, why: "sanitizers"},
	{run: smoking, toolchain: newer, name: "-race", flags: []string{"-race"}, backend: native, needs: []string{"gcc"}},
	{run: smoking, toolchain: newer, name: "-buildmode=pie", flags: []string{"-buildmode=pie"}, backend: native},
	{run: smoking, toolchain: newer, name: "-gcflags=all='-N -l'", flags: []string{"-gcflags=all=-N -l"}, backend: native},

	{platform: "linux/arm64", run: suite, name: "go test", env: arm64, packages: []string{"./asm", "./runtime"}, emulator: "qemu-aarch64", backend: native},
	{platform: "linux/arm64", run: suite, name: "go test ./futex", env: arm64, packages: []string{"./futex"}, emulator: "qemu-aarch64", backend: native},
	{platform: "linux/arm64", run: suite, name: "CGO_ENABLED=1, with C", env: crossed, packages: []string{"./asm", "./runtime/internal/cgotest"},
		emulator: "qemu-aarch64", program: "cprogram", backend: native, needs: []string{"aarch64-linux-gnu-gcc"}},
	{platform: "linux/arm64", toolchain: newer, run: suite, name: "go test", env: arm64, packages: []string{"./asm"}, emulator: "qemu-aarch64", backend: native},
	{platform: "linux/arm64", run: smoking, name: "-gcflags=all='-N -l'", flags: []string{"-gcflags=all=-N -l"}, env: arm64, emulator: "qemu-aarch64", backend: native},

	{platform: "linux/riscv64", run: smoking, name: "go build", env: []string{"CGO_ENABLED=0"}, emulator: "qemu-riscv64",
		backend: portable, why: "not on linux/riscv64"},
	{platform: "linux/riscv64", run: vet, name: "go vet", backend: none},
	{platform: "darwin/arm64", run: vet, name: "go vet", backend: none},
	{platform: "windows/amd64", run: vet, name: "go vet", backend: none},
	{platform: "freebsd/amd64", run: vet, name: "go vet", backend: none},
}

// on returns where w runs.
func (w way) on() string {
	if w.platform == "" {
		return runtime.GOOS + "/" + runtime.GOARCH
	}
	return w.platform
}

// with returns the toolchain of w as the table names it: that at hand by its release.
func (w way) with() string {
	if w.toolchain == "" {
		return release(runtime.Version())
	}
	return release(w.toolchain)
}

// tests returns the packages of a suite.
func (w way) tests() []string {
	if w.packages == nil {
		return []string{"./asm/...", "./stackpool/...", "./futex/...", "./runtime/...", "./bench/..."}
	}
	return w.packages
}
