// Package storage reads and replaces files in a directory, on an HTTPS server or in a bucket of an S3 server, so that
// other packages need not know where a file is. It decides how bytes are moved, not what they mean.
//
// [Parse] turns the value of a flag into a [Location]. A [Client] reads: [Client.Open] with the known version fails
// with [ErrUnchanged] unless there is another one, and [Client.Download] continues what was interrupted.
// [Client.Folder] returns a [Folder] for a publisher: [Folder.Put] writes what never changes, and [Folder.Replace]
// writes only if the file is still the version that was read, so that publishers at the same time cannot undo each
// other's work. A Client is safe for concurrent use.
//
// An [Unreachable] error is about the storage of a file, not its content: trying again later may help. Patience limits
// how long a server sends nothing, not how long a file takes. Redirects stay on their host, since others could probe
// the network from inside. No error shows a user, a password or a query. http:// is for loopback only.
package storage

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"pubd/loader"
)

// A Location is where a file is: a path, a URL that begins with https://, or s3://bucket/key. The zero Location is
// nowhere.
type Location struct {
	file   string   // the path of a local file
	web    *url.URL // for an HTTP server, perhaps with a user and a query; otherwise nil
	bucket string   // for an S3 server
	key    string
}

// Parse parses a location from a command line. Anything without a scheme is a path. Errors do not show user, password
// or query.
func Parse(text string) (Location, error) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return Location{file: text}, nil
	}
	switch strings.ToLower(scheme) {
	case "s3":
		bucket, key, _ := strings.Cut(rest, "/")
		l := Location{bucket: bucket, key: strings.TrimSuffix(key, "/")}
		if !bucketPattern.MatchString(bucket) {
			return Location{}, fmt.Errorf("%s: bucket %q: must be 3 to 63 lower-case letters, digits, dots and hyphens, as in s3://bucket/key", visible(text), bucket)
		}
		if l.key != "" && path.Clean("/"+l.key) != "/"+l.key {
			return Location{}, fmt.Errorf("%s: key %q: must have no empty, . or .. part", visible(text), l.key)
		}
		return l, nil
	case "https", "http":
		web, err := url.Parse(text)
		if err != nil {
			return Location{}, fmt.Errorf("%s: must be an address such as https://example.org/pubs.csv", visible(text))
		}
		switch {
		case web.Hostname() == "":
			return Location{}, fmt.Errorf("%s: must name a host", visible(text))
		case web.Scheme == "http" && !IsLoopback(web.Hostname()):
			return Location{}, fmt.Errorf("%s: http:// is for loopback only: use https://", visible(text))
		}
		web.Fragment = ""
		return Location{web: web}, nil
	}
	return Location{}, fmt.Errorf("%s: must be a path, or begin with https:// or s3://", visible(text))
}

// Local returns the location of a file on this machine.
func Local(path string) Location { return Location{file: path} }

var bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// visible returns a location without what may be secret.
func visible(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	rest, _, _ = strings.Cut(rest, "?")
	host, path, slash := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if slash {
		host += "/"
	}
	return loader.Visible(scheme + "://" + host + path)
}

// String returns the location without user, password and query, which may be secrets.
func (l Location) String() string {
	switch {
	case l.web != nil:
		return visible(l.web.String())
	case l.bucket != "":
		return loader.Visible("s3://" + l.bucket + "/" + l.key)
	}
	return loader.Visible(l.file)
}

// IsLocal reports whether the location is a path.
func (l Location) IsLocal() bool { return l.web == nil && l.bucket == "" }

// Path returns the path of a local file.
func (l Location) Path() string { return l.file }

// Base returns the file name, such as pubs.csv.gz; it may be empty.
func (l Location) Base() string {
	switch {
	case l.web != nil:
		return strings.TrimPrefix(path.Base("/"+l.web.Path), "/")
	case l.bucket != "":
		return strings.TrimPrefix(path.Base("/"+l.key), "/")
	}
	return filepath.Base(l.file)
}

var errName = errors.New("must be the name of a file, without a slash, that does not begin with a dot")

// CheckName rejects a name that cannot be that of a file in the same folder.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return errName
	}
	return nil
}

var namePattern = regexp.MustCompile(`^[0-9A-Za-z_-][0-9A-Za-z._-]{0,199}$`)

// Sibling returns the location of a file in the same folder. It panics for a name that CheckName rejects.
func (l Location) Sibling(name string) Location {
	if err := CheckName(name); err != nil {
		panic(fmt.Sprintf("%q: %v", name, err))
	}
	switch {
	case l.web != nil:
		web := *l.web
		web.Path, web.RawPath = path.Join(path.Dir("/"+web.Path), name), ""
		return Location{web: &web}
	case l.bucket != "":
		return Location{bucket: l.bucket, key: strings.TrimPrefix(path.Join(path.Dir("/"+l.key), name), "/")}
	}
	return Location{file: filepath.Join(filepath.Dir(l.file), name)}
}

// In returns the location of a file in this folder, a directory or a prefix in a bucket. It panics as Sibling does, and
// for a URL.
func (l Location) In(name string) Location {
	switch {
	case l.web != nil:
		panic(l.String() + ": is no folder")
	case l.bucket != "":
		return Location{bucket: l.bucket, key: strings.TrimPrefix(l.key+"/_", "/")}.Sibling(name)
	}
	return Location{file: filepath.Join(l.file, "_")}.Sibling(name)
}
