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

// Run writes the build information.
func (c *versionCommand) Run(t terminal) error {
	text := readBuild().String()
	if c.JSON {
		object, err := json.Marshal(readBuild())
		if err != nil {
			return err
		}
		text = string(object)
	}
	if _, err := fmt.Fprintln(t.out, text); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// version is set by the linker, -X main.version=v0.1.0, for a program that is built without version control.
var version string

// A build is the build information of a program.
type build struct {
	Version    string `json:"version"`               // of the last tag, such as "v1.2.0", or later ones "v1.2.1-0.TIME-COMMIT"; "(devel)" without version control
	Commit     string `json:"commit"`                // 12 digits, with "+dirty" if files were modified; "unknown" without version control
	CommitTime string `json:"commit_time,omitempty"` // RFC 3339, in UTC
	Go         string `json:"go"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
}

// readBuild returns the build information of this program.
func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	b := buildOf(info)
	if version != "" {
		b.Version = version
	}
	return b
}

// builderVersion identifies this program in the index files that it builds: other versions may build them differently,
// so only those of the same version are taken from a cache.
func builderVersion() string {
	b := readBuild()
	version := b.Version + " " + b.Commit
	return version[:min(len(version), 32)]
}

func buildOf(info *debug.BuildInfo) build {
	b := build{Version: "(devel)", Commit: unknownCommit, Go: info.GoVersion, OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	dirty := ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value[:min(len(setting.Value), 12)]
		case "vcs.time":
			b.CommitTime = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				dirty = "+dirty"
			}
		}
	}
	b.Commit += dirty
	return b
}

const unknownCommit = "unknown"

// String returns three lines of text.
func (b build) String() string {
	commit := b.Commit + " of " + b.CommitTime
	switch {
	case b.Commit == unknownCommit:
		commit = b.Commit + ": built without version control"
	case b.CommitTime == "":
		commit = b.Commit
	}
	return fmt.Sprintf("pubd %s\ncommit %s\n%s %s/%s", b.Version, commit, b.Go, b.OS, b.Arch)
}
