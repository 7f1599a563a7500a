package keys

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxRate is the maximum rate of a key in requests per second.
const MaxRate = 1e6

// An Entry is what a key file says about a key. It has neither the secret nor its digest.
type Entry struct {
	Name    string    // 1 to 64 printable characters without spaces
	Created time.Time // zero: unknown
	Expires time.Time // the key is rejected from then on; zero: never
	Rate    float64   // requests per second, at most MaxRate; zero: unlimited
	Revoked time.Time // zero: not revoked
	// Anyone may use public keys: pages offer them to visitors. Each client has RatePerClient requests per second.
	Public        bool
	RatePerClient float64
}

// A record is an Entry with its digest and its line number, from 1.
type record struct {
	Entry
	digest digest
	line   int
	public string // the secret of a public key
}

const (
	nameRule   = "must be 1 to 64 printable characters without spaces"
	digestRule = "must be 64 hexadecimal digits"
	timeRule   = "must be an RFC 3339 time from 1970 to 9999, such as 2030-01-31T12:00:00Z"
	publicRule = "must be the secret whose SHA-256 is sha256"
	rateRule   = "must be a number above 0, at most 1000000"
)

// complain shows only the beginning of the value, because it may be a secret.
func complain(field, value, rule string) error {
	const shown = 6
	if runes := []rune(value); len(runes) > shown {
		value = string(runes[:shown]) + "…"
	}
	return fmt.Errorf("%s %q: %s", field, value, rule)
}

func checkName(name string) error {
	if secretPattern.MatchString(name) {
		return complain("name", name, "must not be a secret, logs show it")
	}
	count := 0
	for _, r := range name {
		if count++; r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return complain("name", name, nameRule)
		}
	}
	if count < 1 || count > 64 {
		return complain("name", name, nameRule)
	}
	return nil
}

func checkRate(rate float64) bool { return rate > 0 && rate <= MaxRate }

// timePattern rejects what package time accepts beyond RFC 3339: one-digit hours, a comma, offsets of a day and more.
var timePattern = regexp.MustCompile(`^[-0-9]{10}T[0-9]{2}:[0-9:]{5}(\.[0-9]+)?(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])$`)

func checkTime(t time.Time) bool { return t.Unix() > 0 && t.Year() <= 9999 }

// parseRecord parses one line, which is not blank. Its errors name neither file nor line.
func parseRecord(line []byte) (record, error) {
	if bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) {
		return record{}, errors.New("is UTF-16 with a byte order mark (BOM): save the file as UTF-8 without one")
	}
	if bytes.HasPrefix(line, []byte("\ufeff")) {
		return record{}, errors.New("begins with a byte order mark (BOM): save the file as UTF-8 without one")
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(line, &members); err != nil || members == nil {
		syntax := (*jsontext.SyntacticError)(nil)
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
			return record{}, complain("member", syntax.JSONPointer.LastToken(), "must appear only once")
		case errors.As(err, &syntax): // whose cause shows at most a few characters
			return record{}, fmt.Errorf("must be one JSON object: %w", syntax.Err)
		}
		return record{}, errors.New("must be one JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(memberNames, name) {
			return record{}, complain("member", name, "must be one of "+strings.Join(memberNames, ", "))
		}
	}
	var r record
	for _, name := range memberNames {
		value := members[name]
		switch {
		case value != nil:
			if err := r.set(name, value); err != nil {
				return record{}, err
			}
		case name == "name" || name == "sha256":
			return record{}, fmt.Errorf("%s: is missing, every key needs name and sha256", name)
		}
	}
	switch {
	case r.Public && r.RatePerClient == 0:
		return record{}, errors.New("rate_per_client: is missing, a public key needs it")
	case !r.Public && r.RatePerClient != 0:
		return record{}, errors.New("public: is missing, rate_per_client is for public keys")
	case r.Public && sha256.Sum256([]byte(r.public)) != r.digest:
		return record{}, complain("public", r.public, publicRule)
	}
	return r, nil
}

// memberNames are the members of a key.
var memberNames = []string{"name", "sha256", "created", "expires", "rate", "public", "rate_per_client", "revoked"}

// set sets a member to a JSON value.
func (r *record) set(name string, value jsontext.Value) (err error) {
	shown, isText := string(value), value.Kind() == '"'
	text := ""
	switch {
	case isText:
		plain, _ := jsontext.AppendUnquote(nil, value) // never fails: it was parsed
		text = string(plain)
		shown = text
	case value.Kind() == '{' || value.Kind() == '[':
		shown = shown[:1]
	}
	rule, ok := "", false
	switch name {
	case "name":
		if isText {
			r.Name = text
			return checkName(text)
		}
		rule = "must be a string"
	case "sha256":
		var sum []byte
		sum, err = hex.DecodeString(text)
		if rule, ok = digestRule, err == nil && len(sum) == sha256.Size; ok {
			r.digest = digest(sum)
		}
	case "created", "expires", "revoked":
		at := map[string]*time.Time{"created": &r.Created, "expires": &r.Expires, "revoked": &r.Revoked}[name]
		*at, err = time.Parse(time.RFC3339, text)
		rule, ok = timeRule, err == nil && timePattern.MatchString(text) && checkTime(*at)
	case "rate", "rate_per_client":
		rate := map[string]*float64{"rate": &r.Rate, "rate_per_client": &r.RatePerClient}[name]
		*rate, err = strconv.ParseFloat(string(value), 64)
		rule, ok = rateRule, err == nil && checkRate(*rate)
	case "public":
		r.Public, r.public = true, text
		rule, ok = publicRule, secretPattern.MatchString(text) && len(text) == secretLength
	}
	if !ok {
		return complain(name, shown, rule)
	}
	return nil
}

// render returns the line of a record, including its line end, which parseRecord reads back.
func (r *record) render() []byte {
	line, err := json.Marshal(struct {
		Name          string    `json:"name"`
		SHA256        string    `json:"sha256"`
		Created       time.Time `json:"created,omitzero"`
		Expires       time.Time `json:"expires,omitzero"`
		Rate          float64   `json:"rate,omitzero"`
		Public        string    `json:"public,omitzero"`
		RatePerClient float64   `json:"rate_per_client,omitzero"`
		Revoked       time.Time `json:"revoked,omitzero"`
	}{r.Name, hex.EncodeToString(r.digest[:]), r.Created, r.Expires, r.Rate, r.public, r.RatePerClient, r.Revoked})
	if err != nil {
		panic(err) // times and rate were checked
	}
	return append(line, '\n')
}
