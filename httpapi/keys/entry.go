package keys

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
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
	if !utf8.Valid(line) {
		return record{}, errors.New("must be valid UTF-8")
	}
	var object json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return record{}, fmt.Errorf("must be one JSON object: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if first, _ := decoder.Token(); first != json.Delim('{') {
		return record{}, errors.New("must be one JSON object")
	}
	r, seen := record{}, map[string]bool{}
	for decoder.More() {
		member, err := decoder.Token()
		if err != nil {
			return record{}, err
		}
		value, err := decoder.Token()
		if err != nil {
			return record{}, err
		}
		field := member.(string)
		if seen[field] {
			return record{}, complain("member", field, "must appear only once")
		}
		seen[field] = true
		if err := r.set(field, value); err != nil {
			return record{}, err
		}
	}
	for _, needed := range []string{"name", "sha256"} {
		if !seen[needed] {
			return record{}, fmt.Errorf("%s: is missing, every key needs name and sha256", needed)
		}
	}
	switch {
	case r.Public && r.RatePerClient == 0:
		return record{}, errors.New("rate_per_client: is missing, a public key needs it")
	case !r.Public && r.RatePerClient != 0:
		return record{}, errors.New("public: is missing, rate_per_client is for public keys")
	}
	if sum := sha256.Sum256([]byte(r.public)); r.Public && digestOf(&sum) != r.digest {
		return record{}, complain("public", r.public, publicRule)
	}
	return r, nil
}

func (r *record) set(field string, value json.Token) error {
	switch field {
	case "name":
		text, ok := value.(string)
		if !ok {
			return complain(field, shown(value), "must be a string")
		}
		r.Name = text
		return checkName(text)
	case "sha256":
		text, _ := value.(string)
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != sha256.Size {
			return complain(field, shown(value), digestRule)
		}
		r.digest = digestOf((*[sha256.Size]byte)(sum))
		return nil
	case "created":
		return setTime(&r.Created, field, value)
	case "expires":
		return setTime(&r.Expires, field, value)
	case "revoked":
		return setTime(&r.Revoked, field, value)
	case "rate":
		return setRate(&r.Rate, field, value)
	case "rate_per_client":
		return setRate(&r.RatePerClient, field, value)
	case "public":
		text, _ := value.(string)
		if !secretPattern.MatchString(text) || len(text) != secretLength {
			return complain(field, shown(value), publicRule)
		}
		r.Public, r.public = true, text
		return nil
	}
	return complain("member", field, "must be one of name, sha256, created, expires, rate, public, rate_per_client, revoked")
}

func setRate(rate *float64, field string, value json.Token) error {
	number, _ := value.(json.Number)
	parsed, err := strconv.ParseFloat(string(number), 64)
	if err != nil || !checkRate(parsed) {
		return complain(field, shown(value), rateRule)
	}
	*rate = parsed
	return nil
}

func setTime(t *time.Time, field string, value json.Token) error {
	text, _ := value.(string)
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil || !timePattern.MatchString(text) || !checkTime(parsed) {
		return complain(field, shown(value), timeRule)
	}
	*t = parsed
	return nil
}

// shown returns a JSON value as text for complain; for an array or object, its bracket.
func shown(value json.Token) string {
	if value == nil {
		return "null"
	}
	return fmt.Sprint(value)
}

// render returns the line of a record, including its line end, which parseRecord reads back.
func (r *record) render() []byte {
	sum := make([]byte, 0, sha256.Size)
	for _, word := range [...]uint64{r.digest.a, r.digest.b, r.digest.c, r.digest.d} {
		sum = binary.BigEndian.AppendUint64(sum, word)
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(struct {
		Name          string    `json:"name"`
		SHA256        string    `json:"sha256"`
		Created       time.Time `json:"created,omitzero"`
		Expires       time.Time `json:"expires,omitzero"`
		Rate          float64   `json:"rate,omitzero"`
		Public        string    `json:"public,omitzero"`
		RatePerClient float64   `json:"rate_per_client,omitzero"`
		Revoked       time.Time `json:"revoked,omitzero"`
	}{r.Name, hex.EncodeToString(sum), r.Created, r.Expires, r.Rate, r.public, r.RatePerClient, r.Revoked}); err != nil {
		panic(err) // times and rate were checked
	}
	return line.Bytes()
}
