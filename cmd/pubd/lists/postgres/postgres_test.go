package postgres

import (
	"io"
	"strings"
	"testing"
)

// No error about an invalid connection string shows the password.
func TestPasswordIsNotShown(t *testing.T) {
	const secret, second = "geheim-4711", "zwei-8822"
	for _, row := range []struct{ dsn, want string }{
		{"host=/nope user=u password=geheim-4711", "failed to connect"},
		{"host=/nope user=u password='geheim-4711 zwei-8822' port=abc", "invalid port"},
		{"host=/nope user=u password = geheim-4711 port=abc", "invalid port"},
		{`host=/nope user=u password=a\ geheim-4711 port=abc`, "invalid port"},
		{`host=/nope user=u password='a\' geheim-4711' port=abc`, "invalid port"},
		{"host=/nope PASSWORD=geheim-4711 port=abc", "invalid port"},
		{"password='geheim-4711", "keyword/value"},
		{"password=`: geheim-4711 port=abc", ""},
		{"host=/nope user=u password=x sslpassword=geheim-4711 port=abc", "invalid port"},
		{"host=/nope user=u passwor=geheim-4711 connect_timeout=x", "connect_timeout"},
		{"postgres://u:geheim-4711@127.0.0.1:1/d", "failed to connect"},
		{"postgres://u:geheim-4711@127.0.0.1:99999/d", "invalid port"},
		{"postgres://u:geheim-4711@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/nope/ca", "/nope/ca"},
		{"postgres://u:a%zzgeheim-4711@127.0.0.1/d", "URL"},
		{"postgres://u:geheim-4711 zwei-8822@127.0.0.1/d", ""},
		{"postgres://u:a@geheim-4711@127.0.0.1:1/d", "percent-encoded"},
		{"postgres://u:a@geheim-4711@127.0.0.1:x/d", "percent-encoded"},
		{"postgres://u:1/geheim-4711@127.0.0.1:1/d", "percent-encoded"},
		{"postgres://u:a?geheim-4711@127.0.0.1:1/d", ""},
		{"postgres://u:1?x=geheim-4711@127.0.0.1:1/d", ""},
		{"postgres://u:a#geheim-4711@127.0.0.1:1/d", ""},
		{"postgres://127.0.0.1:1/d?user=u&password=geheim-4711", "failed to connect"},
		{"postgres://127.0.0.1:1/d?user=u&pass%77ord=geheim-4711&sslmode=wrong", "TLS"},
		{"postgres://127.0.0.1:1/d?user=u&passwor=geheim-4711&connect_timeout=x", "connect_timeout"},
		{"mysql://u:geheim-4711@127.0.0.1/d", ""},
		{"u:geheim-4711@127.0.0.1/d", ""},
	} {
		_, err := Read(t.Context(), row.dsn, "SELECT 1", io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want an error with %q", row.dsn, err, row.want)
			continue
		}
		if _, err := Listen(t.Context(), row.dsn, "c"); err == nil || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), second) {
			t.Errorf("%s: listening: got %v", row.dsn, err)
		}
		if text := err.Error(); strings.Contains(text, secret) || strings.Contains(text, second) {
			t.Errorf("%s: got %s, which shows the password", row.dsn, text)
		}
	}
}
