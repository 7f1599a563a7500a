package manifest

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pubd/index/schema"
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
	var f file
	if err := json.Unmarshal(content, &f, json.RejectUnknownMembers(true)); err != nil {
		return nil, explain(err)
	}
	m := &Manifest{f.Sequence, f.Directory, append([]Snapshot{f.Snapshot}, f.Kept...)}
	var v validation
	v.require("format", f.Format, f.Format == Format, fmt.Sprintf("must be %q: another version of pubd reads it", Format))
	v.number("sequence", int64(min(f.Sequence, math.MaxInt64)), 1, maxSequence)
	v.digest("directory", f.Directory, 32)
	v.require("kept", len(f.Kept), len(f.Kept) <= MaxKept, fmt.Sprintf("must be a list of at most %d snapshots", MaxKept))
	for i := range m.Snapshots {
		if i > 0 {
			v.name = fmt.Sprintf("kept[%d].", i-1)
		}
		v.snapshot(&m.Snapshots[i])
	}
	if v.err != nil {
		return nil, v.err
	}
	return m, nil
}

// A validation checks values one by one, and has the first error.
type validation struct {
	name string // of the object, before that of a member
	err  error
}

// require records an error unless a value of a field is as a rule says.
func (v *validation) require(field string, value any, ok bool, rule string) {
	switch text, isText := value.(string); {
	case ok || v.err != nil:
	case isText && text == "":
		v.err = fmt.Errorf("%s%s: is missing", v.name, field)
	case isText:
		v.err = fmt.Errorf("%s%s %q: %s", v.name, field, text, rule)
	default:
		v.err = fmt.Errorf("%s%s %v: %s", v.name, field, value, rule)
	}
}

func (v *validation) number(field string, value, least, most int64) {
	v.require(field, value, least <= value && value <= most, fmt.Sprintf("must be an integer from %d to %d", least, most))
}

func (v *validation) digest(field, value string, digits int) {
	_, err := hex.DecodeString(value)
	v.require(field, value, err == nil && len(value) == digits && value == strings.ToLower(value),
		fmt.Sprintf("must be %d hexadecimal digits in lower case", digits))
}

func (v *validation) moment(field string, at time.Time) {
	year := at.UTC().Year()
	v.require(field, at.Format(time.RFC3339Nano), 2000 <= year && year <= 9999, timeRule)
}

// stored checks a stored file.
func (v *validation) stored(name string, i *Index, extension string) {
	isBeside := storage.CheckName(i.Key) == nil && strings.HasSuffix(i.Key, extension)
	v.require(name+"key", i.Key, isBeside, "must be the name of a file beside the manifest, ending in "+extension)
	v.number(name+"size", i.Size, 1, maxIndex)
	v.digest(name+"sha256", i.SHA256, 64)
	v.number(name+"expanded_size", i.ExpandedSize, 1, maxIndex)
	v.digest(name+"expanded_sha256", i.ExpandedSHA256, 64)
}

func (v *validation) snapshot(s *Snapshot) {
	v.digest("source_sha256", s.Source, 64)
	v.require("snapshot", s.ID, s.ID != "" && strings.HasPrefix(s.Source, s.ID) && len(s.ID) == 16, "must be the first 16 digits of source_sha256")
	v.number("pubs", int64(s.Pubs), 1, maxPubs)
	v.moment("published_at", s.PublishedAt)
	v.moment("activate_at", s.ActivateAt)
	s.PublishedAt, s.ActivateAt = s.PublishedAt.UTC(), s.ActivateAt.UTC()
	v.require("activate_at", s.ActivateAt.Format(time.RFC3339Nano), !s.ActivateAt.Before(s.PublishedAt) && !s.ActivateAt.After(s.PublishedAt.Add(MaxAhead)),
		fmt.Sprintf("must be from published_at, %s, to 31 days later", s.PublishedAt.Format(time.RFC3339Nano)))
	v.stored("index.", &s.Index, Extension)
	v.number("index.format", int64(s.Index.Format), 1, 1<<20)
	o := s.Origin
	if o == nil {
		return
	}
	v.require("origin.files", len(o.Files), len(o.Files) == 1 || len(o.Files) == 2, "must be one file, or two with a gazetteer")
	for i := range o.Files {
		name := fmt.Sprintf("origin.files[%d].", i)
		v.require(name+"name", o.Files[i].Name, storage.CheckName(o.Files[i].Name) == nil, "must be the name of a file")
		v.stored(name, &o.Files[i].Stored, OriginExtension)
	}
	v.number("origin.max_bad_rows", int64(o.MaxBadRows), 0, maxPubs)
	v.require("origin.extra", len(o.Extra), len(o.Extra) <= schema.MaxExtra && !slices.Contains(o.Extra, ""), "must be names of columns")
}

const timeRule = `must be a time such as "2027-01-31T12:00:00Z"`

// rules are those of Go types other than numbers.
var rules = map[reflect.Kind]string{reflect.Struct: "must be one JSON object", reflect.String: "must be text",
	reflect.Bool: "must be true or false", reflect.Slice: "must be a list"}

// explain returns an error of the JSON library by field and rule.
func explain(err error) error {
	var syntax *jsontext.SyntacticError
	var wrong *json.SemanticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return fmt.Errorf("%s: must be there once", fieldAt(syntax.JSONPointer))
	case errors.As(err, &syntax):
		return fmt.Errorf("the manifest: must be valid JSON: %w", syntax.Err)
	case !errors.As(err, &wrong):
		return err
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("%s: is not known", fieldAt(wrong.JSONPointer))
	}
	rule := cmp.Or(rules[wrong.GoType.Kind()], "must be an integer")
	if wrong.GoType == reflect.TypeFor[time.Time]() {
		rule = timeRule
	}
	return fmt.Errorf("%s: %s", strings.TrimSpace(cmp.Or(fieldAt(wrong.JSONPointer), "the manifest")+" "+shown(wrong.JSONValue)), rule)
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
