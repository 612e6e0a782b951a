//go:build linux

// Command twoprocesses counts with two processes in one mapped file, and lives through the death of one of them.
//
//	go run ./futex/examples/twoprocesses
//
// It starts itself as a child. Both add to a counter that a futex.SharedMutex guards; then the child dies while it holds
// the lock, with the job half done, and the parent finds that out and repairs it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

// page is what the file holds. A new file is all zero, and so everything in it is ready for use. It has no pointers: they
// would mean something else to the other process.
type page struct {
	lock      futex.SharedMutex
	begun     int // equal to done, unless somebody is in between
	done      int
	meet      futex.SharedBarrier
	childDies futex.SharedEvent
}

const rounds = 10_000

func main() {
	var err error
	if len(os.Args) == 2 {
		err = child(os.Args[1])
	} else {
		err = parent()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// open maps the file.
func open(name string) (*page, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close() // the mapping stays
	size := int(unsafe.Sizeof(page{}))
	if err := file.Truncate(int64(size)); err != nil {
		return nil, err
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*page)(unsafe.Pointer(unsafe.SliceData(memory))), nil
}

func parent() error {
	file, err := os.CreateTemp("", "futex")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	p, err := open(file.Name())
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	other := exec.Command(self, file.Name())
	other.Stderr = os.Stderr
	if err := other.Start(); err != nil {
		return err
	}
	if err := count(p); err != nil {
		return err
	}
	fmt.Println("together we counted to", p.done)

	if err := p.childDies.Wait(); err != nil {
		return err
	}
	other.Process.Kill()
	other.Wait()
	switch err := p.lock.Lock(); {
	case errors.Is(err, futex.ErrOwnerDied):
		fmt.Println("the other died with the lock:", p.begun-p.done, "was left undone")
		p.done = p.begun
		p.lock.MarkConsistent()
	case err != nil:
		return err
	default:
		return errors.New("the other's death was not noticed")
	}
	if err := p.lock.Unlock(); err != nil {
		return err
	}
	fmt.Println("repaired:", p.done)
	return nil
}

func child(name string) error {
	p, err := open(name)
	if err != nil {
		return err
	}
	if err := count(p); err != nil {
		return err
	}
	if err := p.lock.Lock(); err != nil {
		return err
	}
	p.begun++
	if err := p.childDies.Set(); err != nil {
		return err
	}
	time.Sleep(time.Hour) // until the parent kills us; select {} would be a deadlock, and end us too early
	return nil
}

// count starts when both are there, and returns when both have done.
func count(p *page) error {
	if _, err := p.meet.Wait(2); err != nil {
		return err
	}
	for range rounds {
		if err := p.lock.Lock(); err != nil {
			return err
		}
		p.begun++
		p.done++
		if err := p.lock.Unlock(); err != nil {
			return err
		}
	}
	_, err := p.meet.Wait(2)
	return err
}
