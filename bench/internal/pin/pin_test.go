package pin

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// When this variable is set, the test binary is not a test: it pins itself and says
// what it then has.
const childVariable = "PIN_TEST_LIST"

func TestMain(m *testing.M) {
	list, child := os.LookupEnv(childVariable)
	if !child {
		os.Exit(m.Run())
	}
	if err := To(list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	cpus, err := Allowed()
	fmt.Println(Format(cpus), err, runtime.NumCPU(), runtime.GOMAXPROCS(0), strings.Join(os.Args[1:], "|"))
	status, err := exec.Command("grep", "Cpus_allowed_list", "/proc/self/status").Output()
	fmt.Println(strings.TrimSpace(string(status)), err)
	os.Exit(0)
}

// allowed returns the CPUs that this test has, where the system tells.
func allowed(t *testing.T) []int {
	t.Helper()
	cpus, err := Allowed()
	if err != nil {
		t.Skip(err)
	}
	return cpus
}

// pinned runs the child.
func pinned(t *testing.T, list string) (said string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "an argument", "")
	cmd.Env = append(os.Environ(), childVariable+"="+list, "GORACE=atexit_sleep_ms=0")
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func TestProcessAndItsChildrenAreConfined(t *testing.T) {
	cpus := allowed(t)
	for _, wanted := range [][]int{cpus[:1], cpus[len(cpus)-1:], cpus} {
		list := Format(wanted)
		procs := len(wanted)
		if v := os.Getenv("GOMAXPROCS"); v != "" {
			t.Skip("GOMAXPROCS is set to ", v)
		}
		want := fmt.Sprintf("%s <nil> %d %d an argument|\nCpus_allowed_list:\t%s <nil>\n", list, len(wanted), procs, list)
		if said, err := pinned(t, list); err != nil || said != want {
			t.Errorf("on CPU %s: %v, it says\n%swant\n%s", list, err, said, want)
		}
	}
}

func TestAbsentCPUIsRefusedAndTheOthersNamed(t *testing.T) {
	cpus := allowed(t)
	absent := cpus[len(cpus)-1] + 1
	said, err := pinned(t, fmt.Sprintf("%d,%d", cpus[0], absent))
	if want := fmt.Sprintf("may not use CPU %d: it may use %s\n", absent, Format(cpus)); err == nil || !strings.Contains(said, want) {
		t.Errorf("%v: %swant %s", err, said, want)
	}
}

func TestParseReadsWhatTasksetReads(t *testing.T) {
	for list, want := range map[string][]int{
		"0":         {0},
		"3,1":       {1, 3},
		"0-3,8":     {0, 1, 2, 3, 8},
		"2-2":       {2},
		"1,0-2,1-3": {0, 1, 2, 3},
		"1023":      {1023},
	} {
		if got, err := Parse(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", list, got, err, want)
		}
	}
	for list, want := range map[string]string{
		"":                     `"" in ""`,
		",":                    `"" in ","`,
		"0,":                   `"" in "0,"`,
		"x":                    `"x" in "x"`,
		"0-":                   `"0-" in "0-"`,
		"-1":                   `"-1" in "-1"`,
		"1-2-3":                `"1-2-3"`,
		"3-1":                  `"3-1" in "3-1" ends before it begins`,
		"1024":                 "1024 in",
		"0-99999999":           "99999999 in",
		"0x1":                  `"0x1"`,
		" 0":                   `" 0"`,
		"99999999999999999999": "neither a CPU",
	} {
		if got, err := Parse(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want an error with %s", list, got, err, want)
		}
	}
}

func TestFormatAndParseAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cpus := rapid.SliceOfNDistinct(rapid.IntRange(0, maxCPU), 1, 60, rapid.ID[int]).Draw(t, "cpus")
		slices.Sort(cpus)
		if got, err := Parse(Format(cpus)); err != nil || !slices.Equal(got, cpus) {
			t.Errorf("%v is written %q, which is read as %v, %v", cpus, Format(cpus), got, err)
		}
	})
}
