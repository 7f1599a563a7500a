package params

import (
	"strings"

	"pubd/index/schema"
)

// A Member is a member of a pub in a response. Members are written in ascending order. A prepared column of
// [schema.Columns] has its position there; what only a response has follows.
type Member uint8

// The members that are no prepared columns.
const (
	MemberDistance = Member(schema.PreparedColumns) + iota
	MemberFair
	MemberWeighted
	MemberRankings
	MemberLocalRankings
	MemberMatch
	MemberLabel
	MemberNamesakes
	// MemberRequested is the first of the columns that are shown on request; the others follow in their order.
	MemberRequested
	// MemberExtra is an object with the extra columns.
	MemberExtra = MemberRequested + schema.ColumnCount - schema.PreparedColumns
	// What the pub offers, whether it is open, until when or from when, and its hours from Monday to Sunday.
	MemberFeatures = MemberRequested + schema.ColumnFeatures - schema.PreparedColumns
	MemberHours    = MemberRequested + schema.ColumnHours - schema.PreparedColumns
	MemberBrand    = MemberRequested + schema.ColumnBrand - schema.PreparedColumns
	MemberTimeZone = MemberRequested + schema.ColumnTimeZone - schema.PreparedColumns
)

// The members that depend on the time.
const (
	MemberOpen = MemberExtra + 1 + iota
	MemberCloses
	MemberOpens
	MemberWeek
	MemberCount
)

// Members are a set of members: member m is bit m.
type Members uint64

func (m Members) Has(member Member) bool { return m&(1<<member) != 0 }

// Sets of members: Columns are all that a snapshot file may have, Choosable those that fields can name, and WithDetails
// those that need the details of a pub.
const (
	Prepared    = Members(1)<<MemberDistance - 1
	requested   = Members(1)<<MemberExtra - 1<<MemberRequested
	Choosable   = Prepared | 1<<MemberDistance | requested
	address     = 1<<MemberFeatures - 1<<MemberRequested
	Columns     = Prepared | requested | 1<<MemberExtra
	WithDetails = requested | 1<<MemberExtra | Timed
	Timed       = 1<<MemberOpen | 1<<MemberCloses | 1<<MemberOpens | 1<<MemberWeek
)

// computed are the names of the members that are no columns.
var computed = map[Member]string{
	MemberDistance:      "distance",
	MemberFair:          "fair",
	MemberWeighted:      "weighted",
	MemberRankings:      "rankings",
	MemberLocalRankings: "local_rankings",
	MemberMatch:         "match",
	MemberLabel:         "label",
	MemberNamesakes:     "namesakes",
	MemberExtra:         "extra",
	MemberOpen:          "open",
	MemberCloses:        "closes",
	MemberOpens:         "opens",
	MemberWeek:          "week",
}

var memberNames = func() (names [MemberCount]string) {
	for member := range MemberCount {
		if column := member.Column(); column >= 0 {
			names[member] = schema.Columns[column].Name
		} else {
			names[member] = computed[member]
		}
	}
	return names
}()

// String returns the name of the member in responses.
func (m Member) String() string { return memberNames[m] }

// Column returns the position of the member in [schema.Columns], or -1.
func (m Member) Column() int {
	switch {
	case m < MemberDistance:
		return int(m)
	case MemberRequested <= m && m < MemberExtra:
		return schema.PreparedColumns + int(m-MemberRequested)
	}
	return -1
}

// An Include is a value of include.
type Include struct {
	Name, Doc string
	Members   Members
}

// Includes are the values of include.
var Includes = [...]Include{
	{"rankings", "the rank among all rated pubs for each metric, as in a lookup", 1 << MemberRankings},
	{"local_rankings", "the rank within the location, and the number of ranked pubs there", 1 << MemberLocalRankings},
	{"match", "the words that matched in each field, and in `spans` from and to which character of its value", 1 << MemberMatch},
	{"label", "a label that is unique in the snapshot, and the number of `namesakes`", 1<<MemberLabel | 1<<MemberNamesakes},
	{"address", "`" + strings.Join(addressNames, "`, `") + "`, each null if missing; `fields` can select them individually", address},
	{"extra", "an object with the columns that the operator keeps with `--extra`; in CSV one column each", 1 << MemberExtra},
	{"features", "what the pub offers, `-` before what it does not, as the snapshot has it; whether it is `open` at the time of `open` or now, null if it is not known, false if its `trading` says that it has closed; " +
		"and when it `closes`, null if it is not open or does not close within 8 days",
		1<<MemberFeatures | 1<<MemberOpen | 1<<MemberCloses},
	{"hours", "`opening_hours` and `time_zone` as the snapshot has them; when a pub that is not open `opens`, null if that is not known or not within 8 days; " +
		"and the `week`: for each day from Monday to Sunday of this week, from and to when it is open",
		1<<MemberHours | 1<<MemberTimeZone | 1<<MemberOpens | 1<<MemberWeek},
	{"brand", "the chain that the pub belongs to, by whose name it is found", 1 << MemberBrand},
}

// Names of include, fields and the columns on request, as errors and the documentation list them.
var (
	includeNames = func() (names []string) {
		for _, i := range Includes {
			names = append(names, i.Name)
		}
		return names
	}()
	fieldNames   = namesIn(Choosable)
	addressNames = namesIn(address)
)

// includeDoc returns the values of include, each with what it adds besides the member of its name.
func includeDoc() string {
	var values []string
	for _, i := range Includes {
		if more := Without(namesIn(i.Members), i.Name); len(more) > 0 {
			i.Name += " (with " + Listed(more) + ")"
		}
		values = append(values, i.Name)
	}
	return Listed(values)
}

// namesIn returns the names of members, in their order.
func namesIn(members Members) (names []string) {
	for member := range MemberCount {
		if members.Has(member) {
			names = append(names, member.String())
		}
	}
	return names
}

func Listed(names []string) string { return strings.Join(names, ", ") }
