package request

import (
	"bytes"
	"net/netip"
	"slices"
	"unsafe"

	"pubd/httpapi/keys"
)

// Proxies are the networks of the load balancers in front of a service, whose X-Forwarded-For identifies the client.
type Proxies []netip.Prefix

// Has reports whether an address is that of a proxy.
func (p Proxies) Has(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// Identify finds who sent the request. It consumes Forwarded.
func (r *Request) Identify(proxies Proxies) {
	r.Address = proxies.client(r.Peer, r.Forwarded)
	r.Client = keys.ClientAt(r.Address)
}

// maxHops is the maximum number of addresses of X-Forwarded-For to examine.
const maxHops = 16

// client returns the address of the client: the peer or, if that is a proxy, the last address in the values of
// X-Forwarded-For that is not a proxy. Each proxy appends the address of its peer, so that everything before the first
// address that is not a proxy may be forged. If an item is not an address, the proxy that wrote it stands for the
// client.
func (p Proxies) client(peer netip.Addr, forwarded [][]byte) netip.Addr {
	client := peer
	for hops := 0; hops < maxHops && len(forwarded) > 0 && p.Has(client); hops++ {
		list := forwarded[len(forwarded)-1]
		comma := bytes.LastIndexByte(list, ',')
		address, ok := parseAddress(bytes.TrimSpace(list[comma+1:]))
		if !ok {
			break
		}
		client = address
		if forwarded[len(forwarded)-1] = list[:max(comma, 0)]; comma < 0 {
			forwarded = forwarded[:len(forwarded)-1]
		}
	}
	return client
}

// parseAddress parses an IP address, optionally followed by a port.
func parseAddress(text []byte) (address netip.Addr, ok bool) {
	const longest = len("[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:65535")
	if len(text) == 0 || len(text) > longest || bytes.IndexByte(text, '%') >= 0 {
		return netip.Addr{}, false
	}
	if text[0] == '[' {
		end := bytes.IndexByte(text, ']')
		if end < 0 || !isPort(text[end+1:]) {
			return netip.Addr{}, false
		}
		text = text[1:end]
	} else if host, port, found := bytes.Cut(text, []byte(":")); found && bytes.IndexByte(host, '.') >= 0 && bytes.IndexByte(port, ':') < 0 {
		if !isPort(text[len(host):]) {
			return netip.Addr{}, false
		}
		text = host
	}
	// The text is not retained: the address has no zone, and the error is dropped.
	address, err := netip.ParseAddr(unsafe.String(unsafe.SliceData(text), len(text)))
	return address.Unmap(), err == nil
}

// isPort reports whether a text is empty, or a colon and up to five digits.
func isPort(text []byte) bool {
	return len(text) == 0 || text[0] == ':' && 2 <= len(text) && len(text) <= 6 && len(bytes.Trim(text[1:], "0123456789")) == 0
}
