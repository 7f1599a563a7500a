package feed

import (
	"fmt"
	"maps"
	"time"

	"pubd/loader/manifest"
)

// A Fate is what became of a file that could not be opened. It is not tried again until a time, unless that is requested
// or it is replaced: it may have been damaged on its way, or memory short.
type Fate struct {
	Cause error     // nil if it was opened, or not tried
	Since time.Time // when it failed first
	// Delay is how long after the last try it is tried Again: first a refresh, then twice as long each time, up to
	// maxDelay. As a try transfers at most twice the size of a file, that bounds what it costs.
	Delay time.Duration
	Again time.Time
}

const maxDelay = 15 * time.Minute

// fates are those of files by fileOf and fileOfPublication. They are immutable.
type fates map[string]Fate

// fileOf returns the key of a version of a file that is no manifest, fileOfPublication that of a published file as one
// publication describes it.
func fileOf(version string) string { return "file " + version }

func fileOfPublication(p manifest.Snapshot) string { return fmt.Sprint(publicationOf(p), p.Index) }

// of returns the fates of the files that a manifest names.
func (f fates) of(m *manifest.Manifest) fates {
	named := fates{}
	for _, p := range m.Snapshots {
		if fate, ok := f[fileOfPublication(p)]; ok {
			named[fileOfPublication(p)] = fate
		}
	}
	return named
}

// with returns the fates after a try that ended with an error, or nil.
func (f fates) with(file string, cause error, now time.Time, refresh time.Duration) fates {
	last, next := f[file], fates{}
	maps.Copy(next, f)
	if delete(next, file); cause == nil {
		return next
	}
	if last.Cause == nil {
		last.Since = now
	}
	last.Delay = min(max(2*last.Delay, refresh), maxDelay)
	next[file] = Fate{cause, last.Since, last.Delay, now.Add(last.Delay)}
	return next
}
