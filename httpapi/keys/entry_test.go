package keys

import (
	"bytes"
	"strings"
	"testing"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func TestParseComplaints(t *testing.T) {
	sum := `"sha256":"` + zeros + `"`
	key := `{"name":"a",` + sum
	secret := "pubd_abcdefghijklmnopqrstuvwxyz234567"
	const (
		text    = "must be 1 to 64 printable characters without spaces"
		members = "must be one of name, sha256, created, expires, rate, public, rate_per_client, revoked"
		instant = "must be an RFC 3339 time from 1970 to 9999, such as 2030-01-31T12:00:00Z"
		number  = "must be a number above 0, at most 1000000"
		hexa    = "must be 64 hexadecimal digits"
		object  = "must be one JSON object"
	)
	cases := []struct{ content, want string }{
		{"", "keys: no key in it, make one with pubd keys add"},
		{"\n \r\n\t\n", "keys: no key in it, make one with pubd keys add"},
		{secret, "keys:1: " + object + ": invalid character 'p' at start of value"},
		{"\x00 this is no key file {", "keys:1: " + object + `: invalid character '\x00' at start of value`},
		{"[]", "keys:1: " + object},
		{"null", "keys:1: " + object},
		{key + "} {}", "keys:1: " + object + ": invalid character '{' after top-level value"},
		{key + ",}", "keys:1: " + object + ": invalid character ',' at start of value"},
		{key + "}\n\n" + key, "keys:3: " + object + ": unexpected EOF"},
		{"{\n}", "keys:1: " + object + ": unexpected EOF"},
		{`{"name":"` + "\xff" + `"}`, "keys:1: " + object + ": invalid UTF-8"},
		{"\ufeff" + line("a", ""), "keys:1: begins with a byte order mark (BOM): save the file as UTF-8 without one"},
		{"\ufeff\n", "keys:1: begins with a byte order mark (BOM): save the file as UTF-8 without one"},
		{line("a", "") + "\ufeff" + line("b", ""), "keys:2: begins with a byte order mark (BOM): save the file as UTF-8 without one"},
		{"\xff\xfe{\x00}\x00", "keys:1: is UTF-16 with a byte order mark (BOM): save the file as UTF-8 without one"},
		{"\xfe\xff\x00{\x00}", "keys:1: is UTF-16 with a byte order mark (BOM): save the file as UTF-8 without one"},
		{"{}", "keys:1: name: is missing, every key needs name and sha256"},
		{`{"name":"a"}`, "keys:1: sha256: is missing, every key needs name and sha256"},
		{"{" + sum + "}", "keys:1: name: is missing, every key needs name and sha256"},
		{key + `,"name":"b"}`, `keys:1: member "name": must appear only once`},
		{key + `,"rate":1,"rate":1}`, `keys:1: member "rate": must appear only once`},
		{key + `,"secret":"x"}`, `keys:1: member "secret": ` + members},
		{key + `,"Rate":1}`, `keys:1: member "Rate": ` + members},
		{key + `,"` + secret + `":1}`, `keys:1: member "pubd_a…": ` + members},
		{key + `,"":1}`, `keys:1: member "": ` + members},
		{`{"name":""}`, `keys:1: name "": ` + text},
		{`{"name":1}`, `keys:1: name "1": must be a string`},
		{`{"name":null}`, `keys:1: name "null": must be a string`},
		{`{"name":["a"]}`, `keys:1: name "[": must be a string`},
		{`{"name":{}}`, `keys:1: name "{": must be a string`},
		{`{"name":"a b"}`, `keys:1: name "a b": ` + text},
		{`{"name":"a\n"}`, `keys:1: name "a\n": ` + text},
		{`{"name":"\u00a0"}`, `keys:1: name "\u00a0": ` + text},
		{`{"name":"\u202e"}`, `keys:1: name "\u202e": ` + text},
		{`{"name":"\ud800"}`, "keys:1: " + object + ": invalid surrogate pair `\\ud800\"}` in string"},
		{`{"name":"` + strings.Repeat("é", 65) + `"}`, `keys:1: name "éééééé…": ` + text},
		{`{"name":"` + secret + `"}`, `keys:1: name "pubd_a…": must not be a secret, logs show it`},
		{`{"name":"(` + secret + `)"}`, `keys:1: name "(pubd_…": must not be a secret, logs show it`},
		{`{"name":"a","sha256":"abc"}`, `keys:1: sha256 "abc": ` + hexa},
		{`{"name":"a","sha256":"` + zeros + `00"}`, `keys:1: sha256 "000000…": ` + hexa},
		{`{"name":"a","sha256":"` + zeros[1:] + `g"}`, `keys:1: sha256 "000000…": ` + hexa},
		{`{"name":"a","sha256":"` + secret + `"}`, `keys:1: sha256 "pubd_a…": ` + hexa},
		{`{"name":"a","sha256":12345678}`, `keys:1: sha256 "123456…": ` + hexa},
		{key + `,"created":"today"}`, `keys:1: created "today": ` + instant},
		{key + `,"expires":""}`, `keys:1: expires "": ` + instant},
		{key + `,"expires":null}`, `keys:1: expires "null": ` + instant},
		{key + `,"expires":1893456000}`, `keys:1: expires "189345…": ` + instant},
		{key + `,"expires":"0001-01-01T00:00:00Z"}`, `keys:1: expires "0001-0…": ` + instant},
		{key + `,"expires":"1970-01-01T00:00:00Z"}`, `keys:1: expires "1970-0…": ` + instant},
		{key + `,"expires":"2030-02-30T00:00:00Z"}`, `keys:1: expires "2030-0…": ` + instant},
		{key + `,"expires":"2030-01-01T0:00:00Z"}`, `keys:1: expires "2030-0…": ` + instant},
		{key + `,"expires":"2030-01-01 00:00:00Z"}`, `keys:1: expires "2030-0…": ` + instant},
		{key + `,"expires":"2030-01-01T00:00:00"}`, `keys:1: expires "2030-0…": ` + instant},
		{key + `,"expires":"2030-01-01T00:00:00,5Z"}`, `keys:1: expires "2030-0…": ` + instant},
		{key + `,"expires":"2030-01-01T00:00:00+24:00"}`, `keys:1: expires "2030-0…": ` + instant},
		{key + `,"revoked":true}`, `keys:1: revoked "true": ` + instant},
		{key + `,"revoked":"0001-01-01T00:00:00Z"}`, `keys:1: revoked "0001-0…": ` + instant},
		{key + `,"rate":0}`, `keys:1: rate "0": ` + number},
		{key + `,"rate":-0}`, `keys:1: rate "-0": ` + number},
		{key + `,"rate":-5}`, `keys:1: rate "-5": ` + number},
		{key + `,"rate":"5"}`, `keys:1: rate "5": ` + number},
		{key + `,"rate":null}`, `keys:1: rate "null": ` + number},
		{key + `,"rate":1e400}`, `keys:1: rate "1e400": ` + number},
		{key + `,"rate":1e-400}`, `keys:1: rate "1e-400": ` + number},
		{key + `,"rate":1000000.1}`, `keys:1: rate "100000…": ` + number},
		{key + `,"rate":NaN}`, "keys:1: " + object + ": invalid character 'N' at start of value"},
		{key + `,"public":"` + secret + `","rate_per_client":5}`, `keys:1: public "pubd_a…": must be the secret whose SHA-256 is sha256`},
		{key + `,"public":true,"rate_per_client":5}`, `keys:1: public "true": must be the secret whose SHA-256 is sha256`},
		{key + `,"public":"` + secret + `x","rate_per_client":5}`, `keys:1: public "pubd_a…": must be the secret whose SHA-256 is sha256`},
		{key + `,"public":"` + secret + `"}`, `keys:1: rate_per_client: is missing, a public key needs it`},
		{key + `,"rate_per_client":5}`, `keys:1: public: is missing, rate_per_client is for public keys`},
		{key + `,"rate_per_client":0}`, `keys:1: rate_per_client "0": ` + number},
		{line("a", "") + line("b", "") + key + "}", `keys:3: name "a": is in use on line 1, revoke or rename one of them`},
		{line("a", "") + `{"name":"b","sha256":"` + strings.ToUpper(hexDigest("a")) + `"}`,
			`keys:2: sha256 of key "b": is on line 1 already, remove one of them`},
		{line("a", `,"revoked":"2026-01-01T00:00:00Z"`) + line("a", ""),
			`keys:2: sha256 of key "a": is on line 1 already, remove one of them`},
	}
	for _, c := range cases {
		s, err := Parse("keys", []byte(c.content))
		if err == nil || err.Error() != c.want || s != nil {
			t.Errorf("Parse(%q)\n got %v\nwant %s", c.content, err, c.want)
		}
	}
}

func TestParseAccepts(t *testing.T) {
	key := `{"name":"a","sha256":"` + zeros + `"`
	revoked := `,"revoked":"2026-01-01T00:00:00Z"}`
	other := strings.Repeat("Fe", 32)
	for _, content := range []string{
		key + "}",
		"\r\n" + key + "}\r\n\r\n",
		" { \"sha256\" : \"" + other + "\" , \"name\" : \"b\" } ",
		`{"name":"` + strings.Repeat("é", 64) + `","sha256":"` + zeros + `"}`,
		`{"name":"<a>&\"'/=,;%","sha256":"` + zeros + `"}`,
		`{"n\u0061me":"a","sha256":"` + zeros + `"}`,
		key + `,"rate":1e6}`,
		key + `,"rate":0.0001}`,
		key + `,"created":"2026-01-01T00:00:00.123456789+14:00","expires":"9999-12-31T23:59:59-12:00"` + revoked,
		key + revoked + "\n" + `{"name":"a","sha256":"` + other + `"}`,
		`{"name":"a","sha256":"` + other + `"}` + "\n" + key + revoked,
	} {
		if _, err := Parse("keys", []byte(content)); err != nil {
			t.Errorf("Parse(%q): %v", content, err)
		}
	}
}

// FuzzParse checks that nothing panics, that an error is one line that names the file, and that accepted keys are the same after writing and
// parsing them again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(line("a", `,"created":"2026-01-01T00:00:00Z","rate":1`) + "\n" + line("b", `,"expires":"2030-01-01T00:00:00.5+01:30"`)))
	f.Add([]byte(line("a", `,"revoked":"2026-01-01T00:00:00Z"`) + `{"name":"\ud83c\udf7a<","sha256":"` + zeros + `","rate":1e-7}`))
	f.Add([]byte("\x00 this is no key file {"))
	f.Add([]byte(`{"name":"a","name":[{"b":null}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		records, err := parseRecords("keys", content)
		if err != nil {
			if message := err.Error(); !strings.HasPrefix(message, "keys:") || strings.ContainsAny(message, "\r\n") {
				t.Fatalf("Parse(%q): %q", content, message)
			}
			return
		}
		var written []byte
		for _, r := range records {
			written = append(written, r.render()...)
		}
		again, err := parseRecords("keys", written)
		if err != nil || len(again) != len(records) {
			t.Fatalf("%d keys of %q, written as %q, are parsed as %d: %v", len(records), content, written, len(again), err)
		}
		for i, r := range again {
			want := records[i]
			same := r.Name == want.Name && r.digest == want.digest && r.Rate == want.Rate &&
				r.Created.Equal(want.Created) && r.Expires.Equal(want.Expires) && r.Revoked.Equal(want.Revoked)
			if !same || !bytes.Equal(r.render(), want.render()) {
				t.Fatalf("got %+v, want %+v", r, want)
			}
		}
		if s, err := Parse("keys", content); (err == nil) != (len(records) > 0) || err == nil && s.Len() != len(records) {
			t.Fatalf("Parse(%q) = %v, %v, want %d keys", content, s, err, len(records))
		}
	})
}
