package keys

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"
)

// Add creates a key with the name, expiry and rates of an entry and calls show with its secret, which is stored only
// if the key is public. show is called at most once, as the last step before the rename that adds the key; if it
// returns an error, Add returns that and adds nothing: there is no key that nobody has seen. The file is created if it
// is absent. It is an error if a key that is not revoked has the name, even an expired one, or if Parse rejects the
// file, unless it is empty. After an error the key must not be used, even if it was shown. Concurrent calls, also from
// other processes, lose nothing.
func Add(path string, e Entry, show func(secret string) error) error {
	r := record{Entry: e}
	r.Created, r.Revoked = time.Now().UTC().Truncate(time.Second), time.Time{}
	if err := checkName(e.Name); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, rate := range []struct {
		field string
		value float64
	}{{"rate", e.Rate}, {"rate_per_client", e.RatePerClient}} {
		if rate.value != 0 && !checkRate(rate.value) {
			return fmt.Errorf("%s: %w", path, complain(rate.field, fmt.Sprint(rate.value), rateRule))
		}
	}
	if e.Public != (e.RatePerClient > 0) {
		return fmt.Errorf("%s: rate_per_client: is for public keys, and each of them needs one", path)
	}
	if !e.Expires.IsZero() {
		r.Expires = e.Expires.UTC()
		if !checkTime(r.Expires) {
			return fmt.Errorf("%s: %w", path, complain("expires", r.Expires.String(), timeRule))
		}
	}
	secret := newSecret()
	if e.Public {
		r.public = secret
	}
	r.digest = sha256.Sum256([]byte(secret))
	return edit(path, true, func(content []byte) ([]byte, error) {
		records, err := parseRecords(path, content)
		if err != nil {
			return nil, err
		}
		for _, other := range records {
			if other.Name == e.Name && other.Revoked.IsZero() {
				return nil, fmt.Errorf("%s:%d: name %q: is in use, revoke that key or choose another name",
					path, other.line, e.Name)
			}
		}
		if len(content) > 0 && content[len(content)-1] != '\n' {
			content = append(content, '\n')
		}
		return append(content, r.render()...), nil
	}, func() error { return show(secret) })
}

// Revoke marks the key with this name as revoked; its line stays, and so does every other line, byte for byte. It is
// an error if the name is unknown, or if all its keys are revoked. Concurrent calls are as safe as those of Add.
func Revoke(path, name string) error {
	if err := checkName(name); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return edit(path, false, func(content []byte) ([]byte, error) {
		records, err := parseRecords(path, content)
		if err != nil {
			return nil, err
		}
		rule := "is not in the file, pubd keys list shows the names that are"
		for _, r := range records {
			if r.Name != name {
				continue
			}
			if !r.Revoked.IsZero() {
				rule = "was revoked on " + r.Revoked.Format(time.RFC3339)
				continue
			}
			r.Revoked = time.Now().UTC().Truncate(time.Second)
			lines := bytes.SplitAfter(content, []byte("\n"))
			lines[r.line-1] = r.render()
			return bytes.Join(lines, nil), nil
		}
		return nil, fmt.Errorf("%s: name %q: %s", path, name, rule)
	}, nil)
}

// List returns the entries of the file, in its order; a name may occur more than once, but not revoked at most once. A
// file without a key is an empty list; an absent file, or one that Parse rejects, is an error.
func List(path string) ([]Entry, error) {
	content, _, err := read(context.Background(), path)
	if err != nil {
		return nil, err
	}
	records, err := parseRecords(path, content)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(records))
	for i, r := range records {
		entries[i] = r.Entry
	}
	return entries, nil
}
