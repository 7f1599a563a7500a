package stage

import (
	"fmt"
	"os/exec"
	"regexp"
)

// A MissingError says that a program is not installed, and what installs it.
type MissingError struct{ program, packages string }

func (e MissingError) Error() string {
	return fmt.Sprintf("%s is not installed: on Debian, apt-get install -y %s", e.program, e.packages)
}

// Tool finds a program in PATH or where Debian puts those of administrators.
func Tool(name, packages string) (string, error) {
	for _, candidate := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", MissingError{name, packages}
}

var versionPattern = regexp.MustCompile(`\d+(\.\d+)+`)

// VersionOf returns the first version number that a program prints, whatever its exit code: wrk's is that of its usage.
func VersionOf(program, flag string) string {
	said, _ := exec.Command(program, flag).CombinedOutput()
	return versionPattern.FindString(string(said))
}
