package fetch

import (
	"time"

	"github.com/rs/zerolog"

	"pubd/index"
	"pubd/loader/manifest"
)

// An Offer is what a source has.
type Offer struct {
	// Version changes with the content; empty if it is unknown.
	Version string
	// Manifest is nil for one file. Content is its own.
	Manifest *manifest.Manifest
	Content  []byte
	// Cached is the path of a file in the cache; empty if it must be fetched.
	Cached string
}

// An Item is what to open: a publication of a manifest, or the file of an offer.
type Item struct {
	Publication *manifest.Snapshot
	File        Offer
}

// A Version is a snapshot that was opened.
type Version struct {
	Value       *index.Snapshot
	Publication manifest.Snapshot
	From        string // such as "index file", "cache", "download" or "build"
	// ReadTook and BuildTook are how long reading and building took, Took all of it.
	ReadTook, BuildTook, Took time.Duration

	// Fetched is the version of what was downloaded; empty if nothing was.
	Fetched string
}

// Release releases the snapshot.
func (v *Version) Release() { v.Value.Release() }

// A Log receives what operators should know.
type Log = zerolog.Logger

// A Request is what somebody wants of a feed.
type Request struct {
	// AcceptShrink has data accepted no matter how many pubs are lost.
	AcceptShrink bool
}
