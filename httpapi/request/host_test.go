package request

import (
	"testing"

	"pubd/bench/testkit"
)

func TestHosts(t *testing.T) {
	for want, hosts := range map[bool][]string{
		true: {"127.0.0.1", "127.0.0.1:8081", "10.1.2.3:80", "[::1]", "[::1]:8081", "[fe80::1%25eth0]:1", "localhost", "LocalHost:8081", "", ":8081", "pubd-admin", "PUBD-admin:8081"},
		false: {"evil.example", "evil.example:8081", "localhost.evil.example", "127.0.0.1.evil.example", "pubd-admin.evil.example", "127.0.0.1.nip.io:8081", "1.2.3.4x",
			"[::1]evil.example", "[::1", "evil.example]", "x", "localhost.", "a:b:c"},
	} {
		for _, host := range hosts {
			testkit.Equal(t, host, HostAllowed([]byte(host), []string{"pubd-admin"}), want)
		}
	}
}
