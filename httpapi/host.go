package httpapi

import (
	"bytes"

	"pubd/httpapi/params"
)

// HostAllowed reports whether a Host header, with or without a port, is an IP address, localhost, or one of the names,
// which are in lower case. An empty one is allowed, too: browsers always send a name. A web page whose own name
// resolves to the address of a server (DNS rebinding) sends that name as Host.
func HostAllowed(host []byte, names []string) bool {
	if i := bytes.LastIndexByte(host, ':'); i >= 0 && bytes.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	if len(host) == 0 || isAddress(host) || params.EqualLower(host, "localhost") {
		return true
	}
	for _, name := range names {
		if params.EqualLower(host, name) {
			return true
		}
	}
	return false
}

// isAddress reports whether a host looks like an IP address. It need not be a valid one: browsers do not resolve names
// that are in brackets or consist of digits and dots.
func isAddress(host []byte) bool {
	if host[0] == '[' {
		return host[len(host)-1] == ']'
	}
	for _, c := range host {
		if c != '.' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
