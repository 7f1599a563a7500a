package serve

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"pubd/bench/testkit"
)

// Without a key file, everyone knows the key, so only this machine may connect.
func TestAddressesWithoutKeys(t *testing.T) {
	for address, loopback := range map[string]bool{
		"127.0.0.1:0": true, "127.0.0.1:": true, "127.1.2.3:0": true, "localhost:0": true, "[::ffff:127.0.0.1]:0": true, "[::1]:0": true,
		"0.0.0.0:0": false, ":0": false, "[::]:0": false, "0:0": false, "[::ffff:0.0.0.0]:0": false, "192.0.2.1:0": false, "[2001:db8::1]:0": false,
		"[fe80::1%lo]:0": false, "10.0.0.1:0": false, "169.254.1.1:0": false, "*:0": false, "example.invalid:0": false, "localhost.example.invalid:0": false,
		"127.0.0.1.example.invalid:0": false,
	} {
		for flag, c := range map[string]Command{"--listen": {Listen: address}, "--admin": {Listen: "127.0.0.1:0", Admin: address}} {
			api, admin, err := c.open()
			for _, listener := range []net.Listener{api, admin} {
				if listener != nil {
					listener.Close()
				}
			}
			isRefused, isMissing := strings.HasPrefix(fmt.Sprint(err), flag+" "+address+": without --keys"), errors.Is(err, syscall.EADDRNOTAVAIL)
			testkit.FailIf(t, isRefused == loopback || loopback && err != nil && !isMissing,
				"%s %s: got %v, want to listen: %v", flag, address, err, loopback)
		}
	}
}
