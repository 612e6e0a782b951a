//go:build linux && !futexportable

package futex_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

// lobby is where several processes meet: a mapped file that holds one of each primitive, and what they guard.
type lobby struct {
	mutex     futex.SharedMutex
	cond      futex.SharedCond
	rw        futex.SharedRWMutex
	once      futex.SharedOnce
	semaphore futex.SharedSemaphore
	barrier   futex.SharedBarrier
	event     futex.SharedEvent

	// Guarded by mutex: equal when nobody holds it.
	first, second atomic.Int64

	readers, writers atomic.Int32 // inside rw
	guests           atomic.Int32 // inside semaphore
	place            atomic.Int64 // guarded by mutex
	done             atomic.Int64
	ready            atomic.Int32 // children that have come as far as their role says
	progress         atomic.Int64
	stop             atomic.Int32
}

// newLobby returns a lobby, and the file it is in, for children to map.
func newLobby(t *testing.T) (*lobby, *os.File) {
	t.Helper()
	fd, err := unix.MemfdCreate("futex-test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Skip(err)
	}
	file := os.NewFile(uintptr(fd), "lobby")
	t.Cleanup(func() { file.Close() })
	if err := file.Truncate(int64(unsafe.Sizeof(lobby{}))); err != nil {
		t.Fatal(err)
	}
	l, err := openLobby(file)
	if err != nil {
		t.Fatal(err)
	}
	return l, file
}

// openLobby maps it, for the rest of the process's life.
func openLobby(file *os.File) (*lobby, error) {
	memory, err := unix.Mmap(int(file.Fd()), 0, int(unsafe.Sizeof(lobby{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*lobby)(unsafe.Pointer(unsafe.SliceData(memory))), nil
}

const roleEnv = "FUTEX_TEST_ROLE"

// roles are what a child process can do in a lobby. What it returns is printed, and fails the test that started it.
var roles = map[string]func(*lobby) error{}

// play runs a child process's role, if this is one.
func play() {
	role := os.Getenv(roleEnv)
	if role == "" {
		return
	}
	l, err := openLobby(os.NewFile(3, "lobby"))
	if err == nil {
		err = roles[role](l)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child is a process that plays a role.
type child struct {
	*exec.Cmd
	out bytes.Buffer
}

// cast starts a process in a role. refusing is what its kernel refuses, "" for nothing.
func cast(t *testing.T, role, refusing string, file *os.File) *child {
	t.Helper()
	c := &child{Cmd: itself()}
	c.Env = append(os.Environ(), roleEnv+"="+role, "GORACE=atexit_sleep_ms=0")
	if refusing != "" {
		if emulated() {
			t.Skip("the emulator has no filters of system calls")
		}
		c.Env = append(c.Env, refuseEnv+"="+refusing)
	}
	c.ExtraFiles = []*os.File{file}
	c.Stdout, c.Stderr = &c.out, &c.out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.ProcessState == nil {
			c.kill()
		}
	})
	return c
}

// join waits for the end of the role.
func (c *child) join(t *testing.T) {
	t.Helper()
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, &c.out)
	}
}

// kill ends the process by SIGKILL, and returns when it is gone.
func (c *child) kill() {
	c.Process.Kill()
	c.Wait()
}
