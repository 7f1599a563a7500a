package serve

import (
	"errors"
	"net/netip"
)

// A network is the value of a flag: a range of IP addresses such as 10.0.0.0/8, or one address.
type network netip.Prefix

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *network) UnmarshalText(text []byte) error {
	prefix, err := netip.ParsePrefix(string(text))
	if address, one := netip.ParseAddr(string(text)); one == nil {
		prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
	}
	switch {
	case err != nil || prefix.Addr().Zone() != "" || prefix.Addr().Is4In6():
		return errors.New("must be a network such as 10.0.0.0/8 or fd00::/8, or an address")
	case prefix.Bits() == 0:
		return errors.New("must not be every address: any client could then pose as another")
	}
	*n = network(prefix.Masked())
	return nil
}

// prefixes converts networks to the type of package netip.
func prefixes(networks []network) (list []netip.Prefix) {
	for _, n := range networks {
		list = append(list, netip.Prefix(n))
	}
	return list
}
