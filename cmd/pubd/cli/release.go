package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version is that of the linker, or empty; see the command version.
var Version string

// A Release is the version of a program, and what it was compiled from and for.
type Release struct {
	Version    string `json:"version"`               // of the last tag, such as "v1.2.0", or later ones "v1.2.1-0.TIME-COMMIT"; "(devel)" without version control
	Commit     string `json:"commit"`                // 12 digits, with "+dirty" if files were modified; "unknown" without version control
	CommitTime string `json:"commit_time,omitempty"` // RFC 3339, in UTC
	Go         string `json:"go"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
}

// ThisRelease returns the release of this program.
func ThisRelease() Release {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	r := releaseOf(info)
	if Version != "" {
		r.Version = Version
	}
	return r
}

// BuilderVersion identifies this program in the index files that it builds: other versions may build them differently,
// so only those of the same version are taken from a cache.
func BuilderVersion() string {
	r := ThisRelease()
	version := r.Version + " " + r.Commit
	return version[:min(len(version), 32)]
}

func releaseOf(info *debug.BuildInfo) Release {
	r := Release{Version: "(devel)", Commit: unknownCommit, Go: info.GoVersion, OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info.Main.Version != "" {
		r.Version = info.Main.Version
	}
	dirty := ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			r.Commit = setting.Value[:min(len(setting.Value), 12)]
		case "vcs.time":
			r.CommitTime = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				dirty = "+dirty"
			}
		}
	}
	r.Commit += dirty
	return r
}

const unknownCommit = "unknown"

// String returns three lines of text.
func (r Release) String() string {
	commit := r.Commit + " of " + r.CommitTime
	switch {
	case r.Commit == unknownCommit:
		commit = r.Commit + ": built without version control"
	case r.CommitTime == "":
		commit = r.Commit
	}
	return fmt.Sprintf("pubd %s\ncommit %s\n%s %s/%s", r.Version, commit, r.Go, r.OS, r.Arch)
}
