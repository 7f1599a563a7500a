package request_test

import (
	"fmt"
	"net/netip"

	"pubd/httpapi/request"
)

func Example() {
	r := request.Request{Peer: netip.MustParseAddr("10.0.0.1"), Forwarded: [][]byte{[]byte("192.0.2.7")}, IfNoneMatch: [][]byte{[]byte(`"a", "b"`)}}
	r.Identify(request.Proxies{netip.MustParsePrefix("10.0.0.0/8")})
	fmt.Println(r.Address, r.IsUnchanged([]byte(`"b"`)))
	// Output: 192.0.2.7 true
}
