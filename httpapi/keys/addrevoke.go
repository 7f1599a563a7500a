package keys

import (
	"bytes"
	"context"
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
	secret := r.newSecret()
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
		return appendLine(content, &r), nil
	}, func() error { return show(secret) })
}

// Rotate adds a key like the newest one with this name, with another secret, which it shows as Add does. The older one
// expires after the overlap, unless it does before. It is an error if no key has the name, or if those that have it are
// revoked or have expired.
func Rotate(path, name string, overlap time.Duration, show func(secret string) error) error {
	var secret string
	return change(path, name, func(content []byte, named []*record) ([]byte, error) {
		now, older := time.Now().UTC().Truncate(time.Second), named[len(named)-1]
		if !older.Expires.IsZero() && !now.Before(older.Expires) {
			return nil, fmt.Errorf("%s:%d: name %q: expired on %s, revoke that key and add another one",
				path, older.line, name, older.Expires.Format(time.RFC3339))
		}
		r := *older
		r.Created, secret = now, r.newSecret()
		if end := now.Add(overlap); older.Expires.IsZero() || end.Before(older.Expires) {
			older.Expires = end
		}
		return appendLine(replaceLine(content, older), &r), nil
	}, func() error { return show(secret) })
}

// Revoke marks the keys with this name as revoked; their lines stay, and so does every other line, byte for byte. It is
// an error if the name is unknown, or if all its keys are revoked. Concurrent calls are as safe as those of Add.
func Revoke(path, name string) error {
	return change(path, name, func(content []byte, named []*record) ([]byte, error) {
		for _, r := range named {
			r.Revoked = time.Now().UTC().Truncate(time.Second)
			content = replaceLine(content, r)
		}
		return content, nil
	}, nil)
}

// change edits a file that has keys with this name which are not revoked: edited gets them, in the order of the file.
func change(path, name string, edited func(content []byte, named []*record) ([]byte, error), ready func() error) error {
	if err := checkName(name); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return edit(path, false, func(content []byte) ([]byte, error) {
		records, err := parseRecords(path, content)
		if err != nil {
			return nil, err
		}
		rule, named := "is not in the file, pubd keys list shows the names that are", []*record(nil)
		for i := range records {
			switch r := &records[i]; {
			case r.Name != name:
			case r.Revoked.IsZero():
				named = append(named, r)
			default:
				rule = "was revoked on " + r.Revoked.Format(time.RFC3339)
			}
		}
		if len(named) == 0 {
			return nil, fmt.Errorf("%s: name %q: %s", path, name, rule)
		}
		return edited(content, named)
	}, ready)
}

// appendLine returns content with the line of a record at its end.
func appendLine(content []byte, r *record) []byte {
	if len(content) > 0 && content[len(content)-1] != '\n' {
		content = append(content, '\n')
	}
	return append(content, r.render()...)
}

// replaceLine returns content with the line of a record in the place of the line that it was read from.
func replaceLine(content []byte, r *record) []byte {
	lines := bytes.SplitAfter(content, []byte("\n"))
	lines[r.line-1] = r.render()
	return bytes.Join(lines, nil)
}

// List returns the entries of the file, in its order. A file without a key is an empty list; an absent file, or one
// that Parse rejects, is an error.
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
