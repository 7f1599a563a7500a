package httpapi

import (
	"bytes"
	"strings"
)

// A hostList is the host names allowed for a listener besides IP addresses and localhost, in lower case. A web page whose own name resolves
// to the listener's address (DNS rebinding) sends that name as Host.
type hostList []string

// allows reports whether a Host header, with or without a port, is allowed. An empty one is: browsers always send a name.
func (l hostList) allows(host []byte) bool {
	if i := bytes.LastIndexByte(host, ':'); i >= 0 && bytes.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	if len(host) == 0 || isAddress(host) || equalLower(host, "localhost") {
		return true
	}
	for _, name := range l {
		if equalLower(host, name) {
			return true
		}
	}
	return false
}

// isInternal reports whether a host, with or without a port, is a name that nobody outside of the own network can give to an address: a single
// label, as of a container or a service, or one below a domain that is reserved for internal use.
func isInternal(host string) bool {
	name, _, _ := strings.Cut(strings.ToLower(host), ":")
	_, domain, dotted := strings.Cut(name, ".")
	if !dotted {
		return true
	}
	for _, reserved := range []string{"local", "internal", "svc", "home.arpa"} {
		if domain == reserved || strings.HasSuffix(domain, "."+reserved) {
			return true
		}
	}
	return false
}

// isAddress reports whether a host looks like an IP address. It need not be a valid one: browsers do not resolve names that are in brackets
// or consist of digits and dots.
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
