package survey

import (
	"slices"

	"pubd/geo"
	"pubd/index/schema"
)

// A Kind of likely mistake, such as "swapped".
type Kind string

// The kinds.
const (
	Zero        Kind = "zero"
	Swapped     Kind = "swapped"
	Sign        Kind = "sign"
	Sea         Kind = "sea"
	Country     Kind = "country"
	Far         Kind = "far"
	Duplicate   Kind = "duplicate"
	Coordinates Kind = "coordinates"
	Mojibake    Kind = "mojibake"
	Invisible   Kind = "invisible"
	Entity      Kind = "entity"
	Placeholder Kind = "placeholder"
	Spaces      Kind = "spaces"
	Feature     Kind = "feature"
)

// Kinds has each kind, most severe first, with a title and advice for people.
var Kinds = []struct {
	Kind          Kind
	Title, Advice string
}{
	{Zero, "at 0°, 0°", "leave both coordinates empty where they are unknown"},
	{Swapped, "with latitude and longitude exchanged", "exchange them"},
	{Sign, "with a wrong sign of a coordinate", "add or remove the minus"},
	{Sea, "in the sea", "compare the coordinates with the address; a small island is not a mistake"},
	{Country, "in another country than the others", "compare the coordinates with the address"},
	{Far, "far from all others", "compare the coordinates with the address; a remote island is not a mistake"},
	{Duplicate, "listed twice", "keep one row, with the newer values"},
	{Coordinates, "with coordinates as the location", "make them latitude and longitude: pubd import does"},
	{Mojibake, "with garbled characters", "read the source as UTF-8 and export the file again"},
	{Invisible, "with invisible characters", "delete them"},
	{Entity, "with HTML instead of text", "decode it"},
	{Placeholder, "with a name that says nothing", "find the name or leave the pub out"},
	{Spaces, "with extra spaces", "trim the ends, and replace repeated spaces by one"},
	{Feature, "with a feature that is not known", "correct it, or add it to a file for --features"},
}

// A Finding is a pub that probably has a mistake.
type Finding struct {
	Kind Kind `json:"kind"`
	// Line is where the row of the pub begins, from 1; 0 if lines are unknown.
	Line     int    `json:"line,omitempty"`
	UID      string `json:"UID"`
	Name     string `json:"name"`
	Location string `json:"location,omitempty"`
	// Reason says what is odd, in a few words. It quotes texts of the directory as Go does, without unprintable
	// characters.
	Reason string `json:"reason"`
	// Other is the pub that this one duplicates; nil unless Kind is Duplicate.
	Other *Other `json:"other,omitempty"`
	// Pub is the index of the pub in the directory.
	Pub int `json:"-"`
}

// Other is a pub that a finding refers to.
type Other struct {
	Line int    `json:"line,omitempty"`
	UID  string `json:"UID"`
}

// finder collects findings.
type finder struct {
	pubs   []schema.Pub
	lines  []int
	points []geo.Point // of the pubs; those at 0°, 0° count as without coordinates once found
	whole  []FileFinding
	found  []Finding
}

func (f *finder) line(pub int) int {
	if f.lines == nil {
		return 0
	}
	return f.lines[pub]
}

// add adds a finding, and returns it. Those of a kind are added in the order of the directory.
func (f *finder) add(kind Kind, pub int, reason string) *Finding {
	p := &f.pubs[pub]
	f.found = append(f.found, Finding{
		Kind: kind, Line: f.line(pub), UID: p.UID, Name: p.Name, Location: p.Location, Reason: reason, Pub: pub,
	})
	return &f.found[len(f.found)-1]
}

// findings returns all findings, in the order of Kinds, and counts them.
func (f *finder) findings() (all []Finding, counts map[Kind]int) {
	rank := map[Kind]int{}
	for i, kind := range Kinds {
		rank[kind.Kind] = i
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int { return rank[a.Kind] - rank[b.Kind] })
	counts = map[Kind]int{}
	for i := range f.found {
		counts[f.found[i].Kind]++
	}
	return f.found, counts
}
