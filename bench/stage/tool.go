package stage

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A MissingError tells that a program is not installed, and what installs it.
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

// VersionOf is the first version number that a program prints, whatever its exit code: wrk's is that of its usage.
func VersionOf(program, flag string) string {
	said, _ := exec.Command(program, flag).CombinedOutput()
	return versionPattern.FindString(string(said))
}

// NewestPostgres is the directory of the programs of the newest PostgreSQL that has all that is needed.
func NewestPostgres() (string, error) {
	missing := MissingError{"PostgreSQL with PostGIS", "postgresql-15 postgresql-15-postgis-3"}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	major := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(major(b), major(a)) })
	for _, initdb := range found {
		postgis := fmt.Sprintf("/usr/share/postgresql/%d/extension/postgis.control", major(initdb))
		if matches, _ := filepath.Glob(postgis); len(matches) > 0 {
			return filepath.Dir(initdb), nil
		}
	}
	return "", missing
}
