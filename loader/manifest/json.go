package manifest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pubd/loader/storage"
)

// A file is the JSON form of a manifest.
type file struct {
	Format    string `json:"format"`
	Sequence  uint64 `json:"sequence"`
	Directory string `json:"directory"`
	Snapshot
	Kept []Snapshot `json:"kept"`
}

// Render returns the content of a manifest file, which Parse reads.
func (m *Manifest) Render() []byte {
	content, err := json.Marshal(file{Format, m.Sequence, m.Directory, m.Snapshots[0], m.Snapshots[1:]}, jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // a time beyond the year 9999
	}
	return append(content, '\n')
}

// Parse reads a manifest and checks every value; errors name the field, such as kept[0].index.size.
func Parse(content []byte) (*Manifest, error) {
	if len(content) > MaxSize {
		return nil, fmt.Errorf("is larger than %d bytes, which is the limit", MaxSize)
	}
	if err := checkObject("", content, fileMembers); err != nil {
		return nil, err
	}
	var f file
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, err
	}
	m := &Manifest{f.Sequence, f.Directory, append([]Snapshot{f.Snapshot}, f.Kept...)}
	for i := range m.Snapshots {
		s, name := &m.Snapshots[i], ""
		if i > 0 {
			name = fmt.Sprintf("kept[%d].", i-1)
		}
		s.PublishedAt, s.ActivateAt = s.PublishedAt.UTC(), s.ActivateAt.UTC()
		switch {
		case s.ID != s.Source[:16]:
			return nil, fmt.Errorf("%ssnapshot %q: %s", name, s.ID, idRule)
		case s.ActivateAt.Before(s.PublishedAt) || s.ActivateAt.After(s.PublishedAt.Add(MaxAhead)):
			return nil, fmt.Errorf("%sactivate_at %s: must be from published_at, %s, to 31 days later",
				name, s.ActivateAt.Format(time.RFC3339Nano), s.PublishedAt.Format(time.RFC3339Nano))
		case s.Origin != nil && len(s.Origin.Files) != 1 && len(s.Origin.Files) != 2:
			return nil, fmt.Errorf("%sorigin.files: must be one file, or two with a gazetteer", name)
		}
	}
	return m, nil
}

// A schema says what a value of a manifest must be. Members of objects must be those of the schema, each once.
type schema struct {
	rule  string // what a value without members must be
	holds func(value jsontext.Value) bool
	// members are those of an object, in the order of complaints.
	members []member
	items   *schema // of a list
}

// A member is one of an object.
type member struct {
	name string
	schema
	isOptional bool
}

const idRule = "must be the first 16 digits of source_sha256"

var (
	digest = hexadecimal(64)

	fileMembers = slices.Concat([]member{
		{name: "format", schema: text(fmt.Sprintf("must be %q: another version of pubd reads it", Format), func(s string) bool { return s == Format })},
		{name: "sequence", schema: integer(1, maxSequence)},
		{name: "directory", schema: hexadecimal(32)},
		{name: "kept", schema: list("snapshots", schema{members: snapshotMembers})}}, snapshotMembers)

	snapshotMembers = []member{
		{name: "source_sha256", schema: digest},
		{name: "snapshot", schema: text(idRule, func(string) bool { return true })},
		{name: "pubs", schema: integer(1, maxPubs)},
		{name: "published_at", schema: moment},
		{name: "activate_at", schema: moment},
		{name: "accept_shrink", schema: boolean},
		{name: "index", schema: schema{members: append(storedMembers(Extension), member{name: "format", schema: integer(1, 1<<20)})}},
		{name: "origin", isOptional: true, schema: schema{members: []member{
			{name: "files", schema: list("files", schema{members: append(storedMembers(OriginExtension),
				member{name: "name", schema: text("must be the name of a file", isFileName)})})},
			{name: "max_bad_rows", schema: integer(0, maxPubs)},
			{name: "extra", schema: list("columns", text("must be the name of a column", func(s string) bool { return s != "" }))}}}},
	}
)

// storedMembers returns those of every stored file.
func storedMembers(extension string) []member {
	return []member{
		{name: "key", schema: text("must be the name of a file beside the manifest, ending in "+extension,
			func(key string) bool { return isFileName(key) && strings.HasSuffix(key, extension) })},
		{name: "size", schema: integer(1, maxIndex)},
		{name: "sha256", schema: digest},
		{name: "expanded_size", schema: integer(1, maxIndex)},
		{name: "expanded_sha256", schema: digest},
	}
}

func isFileName(s string) bool { return storage.CheckName(s) == nil }

// check returns an error unless a value is as it must be. The name is that of the value, and empty for the manifest.
func (s schema) check(name string, value jsontext.Value) error {
	if s.members != nil {
		return checkObject(name, value, s.members)
	}
	if !s.holds(value) {
		return fmt.Errorf("%s %s: %s", name, shown(value), s.rule)
	}
	if s.items == nil {
		return nil
	}
	var items []jsontext.Value
	_ = json.Unmarshal(value, &items) // it is a list
	for i, item := range items {
		if err := s.items.check(fmt.Sprintf("%s[%d]", name, i), item); err != nil {
			return err
		}
	}
	return nil
}

func checkObject(name string, value jsontext.Value, members []member) error {
	var values map[string]jsontext.Value
	err := json.Unmarshal(value, &values)
	is, prefix := name, name+"."
	if name == "" {
		is, prefix = "the manifest", ""
	}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return fmt.Errorf("%s%s: must be there once", prefix, fieldAt(syntax.JSONPointer))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: must be valid JSON: %w", is, syntax.Err)
	case err != nil || values == nil:
		return fmt.Errorf("%s: must be one JSON object", is)
	}
	for _, m := range members {
		value, isThere := values[m.name]
		if !isThere && !m.isOptional {
			return fmt.Errorf("%s%s: is missing", prefix, m.name)
		}
		if isThere {
			if err := m.check(prefix+m.name, value); err != nil {
				return err
			}
		}
		delete(values, m.name)
	}
	if unknown := slices.Sorted(maps.Keys(values)); len(unknown) > 0 {
		return fmt.Errorf("%s%s: is not known", prefix, unknown[0])
	}
	return nil
}

// fieldAt returns the name of a field, such as kept[0].index.size.
func fieldAt(pointer jsontext.Pointer) string {
	field := item.ReplaceAllString(string(pointer), "[$1]")
	return strings.TrimPrefix(strings.ReplaceAll(field, "/", "."), ".")
}

// item matches an item of a list in a JSON pointer.
var item = regexp.MustCompile(`/(\d+)`)

func shown(value jsontext.Value) string {
	const most = 80
	if len(value) > most {
		return strings.ToValidUTF8(string(value[:most]), "") + "…"
	}
	return string(value)
}

func text(rule string, holds func(string) bool) schema {
	return schema{rule: rule, holds: func(value jsontext.Value) bool {
		var s string
		return value[0] == '"' && json.Unmarshal(value, &s) == nil && holds(s)
	}}
}

func hexadecimal(digits int) schema {
	return text(fmt.Sprintf("must be %d hexadecimal digits in lower case", digits), func(s string) bool {
		_, err := hex.DecodeString(s)
		return err == nil && len(s) == digits && s == strings.ToLower(s)
	})
}

func integer(least, most int64) schema {
	return schema{rule: fmt.Sprintf("must be an integer from %d to %d", least, most), holds: func(value jsontext.Value) bool {
		n, err := strconv.ParseInt(string(value), 10, 64)
		return err == nil && least <= n && n <= most
	}}
}

var boolean = schema{rule: "must be true or false", holds: func(value jsontext.Value) bool {
	return string(value) == "true" || string(value) == "false"
}}

var moment = schema{rule: `must be a time such as "2027-01-31T12:00:00Z"`, holds: func(value jsontext.Value) bool {
	var at time.Time
	err := json.Unmarshal(value, &at)
	at = at.UTC()
	return err == nil && value[0] == '"' && 2000 <= at.Year() && at.Year() <= 9999
}}

func list(of string, items schema) schema {
	return schema{rule: fmt.Sprintf("must be a list of at most %d %s", MaxKept, of), items: &items, holds: func(value jsontext.Value) bool {
		var list []jsontext.Value
		return value[0] == '[' && json.Unmarshal(value, &list) == nil && len(list) <= MaxKept
	}}
}
