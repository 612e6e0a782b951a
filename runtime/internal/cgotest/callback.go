//go:build cgo

package cgotest

/*
#include <netdb.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern void greenthreadCallback(uintptr_t handle);

static void call_back(uintptr_t handle, int depth) {
	volatile char room[4096];
	memset((void *)room, depth, sizeof room);
	if (depth > 0)
		call_back(handle, depth - 1);
	else
		greenthreadCallback(handle);
	room[0] = room[1];
}

static int wait_for(int fd) {
	char c;
	return read(fd, &c, 1);
}

static int look_up(const char *name) {
	struct addrinfo *found = 0, hints;
	memset(&hints, 0, sizeof hints);
	hints.ai_socktype = SOCK_STREAM;
	int failed = getaddrinfo(name, 0, &hints, &found);
	if (!failed)
		freeaddrinfo(found);
	return failed;
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"
)

// CallBack has C call f, a few C frames deep, on the same kernel thread.
func CallBack(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	C.call_back(C.uintptr_t(h), 8)
}

//export greenthreadCallback
func greenthreadCallback(handle C.uintptr_t) { cgo.Handle(handle).Value().(func())() }

// LookUp resolves a name with the C library, on the kernel thread of the caller.
func LookUp(name string) error {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	if code := C.look_up(s); code != 0 {
		return fmt.Errorf("getaddrinfo: %d", code)
	}
	return nil
}

// WaitFor blocks in C until one byte can be read from a pipe, or its other end is closed, and
// returns how many were read.
func WaitFor(fd int) int { return int(C.wait_for(C.int(fd))) }
