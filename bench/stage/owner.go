package stage

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// PostgresOwner gives a directory to the user postgres where this program runs as root, which PostgreSQL refuses. Elsewhere it
// does nothing and gives nil. The user must be able to pass through the directories above.
func PostgresOwner(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w: make it, or run as a user that is not root", err)
	}
	uid, err1 := strconv.Atoi(account.Uid)
	gid, err2 := strconv.Atoi(account.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2, os.Chown(dir, uid, gid))
}
