package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Write one JSON object."`
}

// Run writes the release of this program.
func (c *versionCommand) Run(t terminal) error {
	text := thisRelease().String()
	if c.JSON {
		object, err := json.Marshal(thisRelease())
		if err != nil {
			return err
		}
		text = string(object)
	}
	return say(t, "%s\n", text)
}

// version is set by the linker, -X main.version=v0.1.0, for a program that is built without version control.
var version string

// A release is the version of a program, and what it was compiled from and for.
type release struct {
	Version    string `json:"version"`               // of the last tag, such as "v1.2.0", or later ones "v1.2.1-0.TIME-COMMIT"; "(devel)" without version control
	Commit     string `json:"commit"`                // 12 digits, with "+dirty" if files were modified; "unknown" without version control
	CommitTime string `json:"commit_time,omitempty"` // RFC 3339, in UTC
	Go         string `json:"go"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
}

// thisRelease returns the release of this program.
func thisRelease() release {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	r := releaseOf(info)
	if version != "" {
		r.Version = version
	}
	return r
}

// builderVersion identifies this program in the index files that it builds: other versions may build them differently,
// so only those of the same version are taken from a cache.
func builderVersion() string {
	r := thisRelease()
	version := r.Version + " " + r.Commit
	return version[:min(len(version), 32)]
}

func releaseOf(info *debug.BuildInfo) release {
	r := release{Version: "(devel)", Commit: unknownCommit, Go: info.GoVersion, OS: runtime.GOOS, Arch: runtime.GOARCH}
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
func (r release) String() string {
	commit := r.Commit + " of " + r.CommitTime
	switch {
	case r.Commit == unknownCommit:
		commit = r.Commit + ": built without version control"
	case r.CommitTime == "":
		commit = r.Commit
	}
	return fmt.Sprintf("pubd %s\ncommit %s\n%s %s/%s", r.Version, commit, r.Go, r.OS, r.Arch)
}
