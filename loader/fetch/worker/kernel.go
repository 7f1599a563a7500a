package worker

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// thisProgram starts this program again, even if its file was replaced or deleted.
const thisProgram = "/proc/self/exe"

// NewAnonymousFile creates an empty file in memory that has no name and can be sealed.
func NewAnonymousFile() (*os.File, error) {
	const name = "pubd-index"
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // before Linux 6.3
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: memfd_create, which pubd must be allowed to call: %w", ErrUnwritable, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// Sealed forbids everyone to change an anonymous file, which nobody may have mapped for writing, and returns it
// read-only: kernels before 6.7 map no sealed file that is open for writing. It closes file. While memory is short, the
// kernel itself may use the pages and refuse (memfd_wait_for_pins in mm/memfd.c): Sealed asks again for some seconds.
func Sealed(file *os.File) (*os.File, error) {
	defer file.Close()
	seal := func() error {
		_, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE|unix.F_SEAL_SEAL)
		return err
	}
	err := seal()
	for last := time.Now().Add(5 * time.Second); err == unix.EBUSY && time.Now().Before(last); err = seal() {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("seal the index: %w", err)
	}
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
}

// FreeDisk returns how much may be written to a folder.
func FreeDisk(folder string) Room {
	var disk unix.Statfs_t
	if unix.Statfs(folder, &disk) != nil {
		return Room{math.MaxInt64, "the disk"} // writing to it tells
	}
	free := Room{int64(disk.Bavail) * disk.Bsize, "the disk of " + folder}
	if disk.Type == unix.TMPFS_MAGIC {
		free = least(free, FreeMemory())
	}
	return free
}

// beKilledFirst makes this process the first to be killed when memory runs out.
func beKilledFirst() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// RunOnLeftovers lets all threads of this process run only on idle processors (sched(7), SCHED_IDLE). In a sandbox
// that forbids it, others merely wait longer.
func RunOnLeftovers() {
	idle := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}
	// A new thread inherits its policy from its creator, which may not have been reached yet.
	for changed := true; changed; {
		changed = false
		threads, _ := os.ReadDir("/proc/self/task")
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				continue
			}
			if has, err := unix.SchedGetAttr(id, 0); err == nil && has.Policy != unix.SCHED_IDLE {
				changed = unix.SchedSetAttr(id, idle, 0) == nil || changed
			}
		}
	}
}
