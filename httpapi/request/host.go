package request

import (
	"bytes"
	"slices"
)

// HostAllowed reports whether a Host header, with or without a port, is an IP address, localhost, or one of the names,
// which are in lower case. An empty one is allowed, too: browsers always send a name. A web page whose own name
// resolves to the address of a server (DNS rebinding) sends that name as Host.
func HostAllowed(host []byte, names []string) bool {
	if i := bytes.LastIndexByte(host, ':'); i >= 0 && bytes.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	return len(host) == 0 || isAddress(host) || EqualLower(host, "localhost") ||
		slices.ContainsFunc(names, func(name string) bool { return EqualLower(host, name) })
}

// isAddress reports whether a host looks like an IP address. It need not be a valid one: browsers do not resolve names
// that are in brackets or consist of digits and dots.
func isAddress(host []byte) bool {
	if host[0] == '[' {
		return host[len(host)-1] == ']'
	}
	return len(bytes.Trim(host, ".0123456789")) == 0
}

// Base returns the scheme and host of absolute links in the response; empty if the request names no plain host.
func (r *Request) Base() string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
	host, _, _ := bytes.Cut(r.Host, []byte(":"))
	if len(host) == 0 || len(host) > 253 || len(bytes.Trim(host, plain)) > 0 || !isPort(r.Host[len(host):]) {
		return ""
	}
	if EqualLower(bytes.TrimSpace(r.Scheme), "https") {
		return "https://" + string(r.Host)
	}
	return "http://" + string(r.Host)
}
