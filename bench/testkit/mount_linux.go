package testkit

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// ownMounts has the parent of a test process that may mount, in its environment.
const ownMounts = "TEST_OWN_MOUNTS"

// HasOwnMounts reports whether this is a process that InOwnMounts started.
func HasOwnMounts() bool { return os.Getenv(ownMounts) == strconv.Itoa(os.Getppid()) }

// InOwnMounts runs the test in a process that may mount, and that ends with all its mounts. It reports whether this is
// that process.
func InOwnMounts(t *testing.T) bool {
	if HasOwnMounts() {
		return true
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=3m")
	command.Env = append(os.Environ(), ownMounts+"="+strconv.Itoa(os.Getpid()), "TMPDIR="+t.TempDir())
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		t.Skipf("no process of its own namespaces: %v", err)
	}
	err := command.Wait()
	FailIf(t, err != nil, "%v: %s", err, &out)
	if bytes.Contains(out.Bytes(), []byte("--- SKIP")) {
		t.Skip(out.String())
	}
	return false
}

// Hang mounts a file system over a folder, of which each access hangs until the end: the kernel waits for an answer to
// its first message.
func Hang(t *testing.T, folder string) (end func()) {
	channel, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.Mount("hung", folder, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", channel.Fd())); err != nil {
		t.Skip(err)
	}
	end = sync.OnceFunc(func() {
		OK(t, unix.Unmount(folder, unix.MNT_DETACH))
		OK(t, channel.Close())
	})
	t.Cleanup(end)
	return end
}
