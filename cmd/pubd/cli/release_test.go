package cli

import (
	"runtime"
	"runtime/debug"
	"testing"

	"pubd/bench/testkit"
)

func TestRelease(t *testing.T) {
	const revision, at = "3ec372c0ab1234567890abcdef1234567890abcd", "2026-11-21T20:00:00Z"
	platform := " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.0", []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: at}, {Key: "vcs.modified", Value: "false"}},
			"pubd v1.2.0\ncommit 3ec372c0ab12 of " + at},
		{"", []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: at}, {Key: "vcs.modified", Value: "true"}},
			"pubd (devel)\ncommit 3ec372c0ab12+dirty of " + at},
		{"(devel)", []debug.BuildSetting{{Key: "vcs.modified", Value: "false"}, {Key: "vcs.revision", Value: "1f"}}, "pubd (devel)\ncommit 1f"},
		{"(devel)", nil, "pubd (devel)\ncommit unknown: built without version control"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "pubd", Version: c.version}, Settings: c.settings}
		got, want := releaseOf(info).String(), c.want+"\ngo1.26.0"+platform
		testkit.FailIf(t, got != want, "%q with %v: got %s, want %s", c.version, c.settings, got, want)
	}
}
