package hugepages

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// clientVariable makes the test binary a client that never ends by itself.
const clientVariable = "GREENTHREAD_BENCH_HUGEPAGES_CLIENT"

func TestMain(m *testing.M) {
	RunChild()
	if file := os.Getenv(clientVariable); file != "" {
		if _, err := guard(file); err != nil {
			panic(err)
		}
		os.Stdout.WriteString("set\n")
		select {}
	}
	os.Exit(m.Run())
}

// setting makes a file like that of the kernel.
func setting(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "enabled")
	if err := os.WriteFile(file, []byte("always [madvise] never\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// wait waits until the file says so. (The kernel would put brackets around it.)
func wait(t *testing.T, file, want string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(text)); got == want {
			return
		} else if time.Since(start) > 10*time.Second {
			t.Fatalf("the file says %q, want %q", got, want)
		}
	}
}

func TestTheSettingIsRestored(t *testing.T) {
	file := setting(t)
	restore, err := guard(file)
	if err != nil {
		t.Fatal(err)
	}
	wait(t, file, "always")
	if err := restore(); err != nil {
		t.Fatal(err)
	}
	wait(t, file, "madvise")
}

// Of two at the same time, the one that came later must not restore what the other
// has set.
func TestOnlyWhatWasChangedIsRestored(t *testing.T) {
	file := setting(t)
	const always = "[always] madvise never"
	if err := os.WriteFile(file, []byte(always+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	restore, err := guard(file)
	if err != nil {
		t.Fatal(err)
	}
	wait(t, file, always)
	if err := os.WriteFile(file, []byte("as before"), 0o600); err != nil { // the other one ends
		t.Fatal(err)
	}
	if err := restore(); err != nil {
		t.Fatal(err)
	}
	wait(t, file, "as before")
}

// Whatever ends the program: an interrupt, or what no program can notice.
func TestTheSettingIsRestoredByWhateverEndsTheProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	for _, s := range []os.Signal{os.Interrupt, os.Kill} {
		file := setting(t)
		client := exec.Command(os.Args[0])
		client.Env = append(os.Environ(), clientVariable+"="+file)
		out, err := client.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Start(); err != nil {
			t.Fatal(err)
		}
		if n, err := out.Read(make([]byte, 9)); n != 4 {
			t.Fatal(n, err)
		}
		wait(t, file, "always")
		if err := client.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if client.Wait() == nil {
			t.Errorf("%v did not end the client", s)
		}
		wait(t, file, "madvise")
	}
}

func TestWhatCannotBeSetIsSaid(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("on off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"/no/such/file": "no such file",
		empty:           "no setting in",
	} {
		if _, err := guard(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", file, err, want)
		}
	}
	text, err := os.ReadFile(settingFile)
	if (err == nil) != (Setting() != "") || !strings.Contains(string(text), "["+Setting()+"]") && err == nil {
		t.Errorf("%q, %v, is read as %q", text, err, Setting())
	}
}
