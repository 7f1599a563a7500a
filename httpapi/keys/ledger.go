package keys

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"time"
)

// Add makes a key and calls show with its secret, which is kept nowhere. show is called at most once, as the last step but the
// rename that adds the key; when it returns an error, Add returns that and adds nothing: there is no key that nobody has seen. A
// zero expires never comes, a rate of 0 is no limit. The file is created when it is absent. A name that a key has which is not
// revoked, expired or not, is refused, and so is a file that Parse refuses, but for an empty one. After an error the key is not to
// be relied on, even if it was shown. Concurrent calls, from other processes too, lose nothing.
func Add(path, name string, expires time.Time, rate float64, show func(secret string) error) error {
	r := record{Entry: Entry{Name: name, Created: time.Now().UTC().Truncate(time.Second), Rate: rate}}
	if err := checkName(name); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if rate != 0 && !checkRate(rate) {
		return fmt.Errorf("%s: %w", path, complain("rate", fmt.Sprint(rate), rateRule))
	}
	if !expires.IsZero() {
		r.Expires = expires.UTC()
		if !checkTime(r.Expires) {
			return fmt.Errorf("%s: %w", path, complain("expires", r.Expires.String(), timeRule))
		}
	}
	secret := newSecret()
	sum := sha256.Sum256([]byte(secret))
	r.digest = digestOf(&sum)
	return edit(path, true, func(content []byte) ([]byte, error) {
		records, err := parseRecords(path, content)
		if err != nil {
			return nil, err
		}
		for _, other := range records {
			if other.Name == name && other.Revoked.IsZero() {
				return nil, fmt.Errorf("%s:%d: name %q: is in use, revoke that key or choose another name",
					path, other.line, name)
			}
		}
		if len(content) > 0 && content[len(content)-1] != '\n' {
			content = append(content, '\n')
		}
		return append(content, r.render()...), nil
	}, func() error { return show(secret) })
}

// Revoke marks the key of this name as revoked; its line stays, and so does every other line, byte for byte. A name
// that is unknown, or whose keys are all revoked, is an error. Concurrent calls are as safe as those of Add.
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

// List is what the file says about its keys, in its order; a name may be there more than once, not revoked at most
// once. A file without a key is an empty list; an absent one, and what Parse refuses, are errors.
func List(path string) ([]Entry, error) {
	content, _, err := read(path)
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
