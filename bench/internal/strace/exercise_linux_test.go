package strace

import "golang.org/x/sys/unix"

// exercise maps some memory and unmaps it.
func exercise(size int) error {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	return unix.MunmapPtr(p, uintptr(size))
}
