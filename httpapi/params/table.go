// Package params says what requests may say and what responses have, as tables: operations, parameters, members of a pub,
// formats.
//
// A row of [Table] says all about a parameter but how it is parsed, which package query does: name, form and range of its
// values, default, the operations that it has an effect on, what it costs, the rule that an error repeats, and a sentence
// with an example for the documentation. Parsing, strict=, the OpenAPI document, the tables of the documentation and the
// options of the clients follow from it.
package params

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"pubd/index"
	"pubd/index/schema"
)

// An Operation is a kind of request.
type Operation uint8

// The operations.
const (
	None Operation = iota // rejected before it was known
	Lookup
	Search
	Distance
	Suggest
	Stats
	Points
	Export
	Document
	Page
	OperationCount
)

var operationNames = [OperationCount]string{"none", "lookup", "search", "distance", "suggest", "stats", "points", "export", "document", "page"}

// String returns the name of the operation in logs and metrics.
func (o Operation) String() string { return operationNames[o] }

// Sets of operations: operation o is bit o. The responses of prepared ones are bodies of a view.
const (
	lookups  = 1 << Lookup
	searches = 1<<Search | 1<<Distance
	finds    = searches | 1<<Points | 1<<Export
	prepared = 1 << Stats
	all      = lookups | finds | prepared | 1<<Suggest
)

// IsPrepared reports whether each snapshot has one response to the operation.
func (o Operation) IsPrepared() bool { return prepared>>o&1 == 1 }

// A Resource is a path of the API, without a final slash. Search stands for lookups and distance searches, too.
type Resource struct {
	Path      string
	Operation Operation
}

// Resources has every resource.
var Resources = []Resource{{"/api/v1/pubs", Search}, {"/api/v1/suggest", Suggest}, {"/api/v1/stats", Stats}, {"/api/v1/points", Points}, {"/api/v1/export", Export}}

// A Kind is the form of a value.
type Kind uint8

// The kinds. Lists are separated by commas.
const (
	Text     Kind = iota // Least to Most are characters
	Flag                 // true, false, 1 or 0, and Choices
	Whole                // an integer from Least to Most
	Decimal              // a number from Least to Most
	Choice               // one of Choices
	Texts                // a list of Least to Most texts
	Choices              // a list of Choices
	Decimals             // a list of Items numbers from Least to Most
	Pairs                // a list of choices with numbers, such as beer:3
)

// A Parameter is a row of the table of parameters.
type Parameter struct {
	Name    string
	Kind    Kind
	Least   float64
	Most    float64 // 0 means no limit
	Items   int     // how many numbers a list of them has
	Choices []string
	Pattern string // of a text, or of each item of a list; a regular expression
	// Default is the value that stands for a missing one; empty if that depends on the request, or none does.
	Default string
	Example string
	Doc     string
	// Aliases are what other APIs call the parameter, in lower-case letters alone: hints answer them.
	Aliases []string
	// Required is set if a request without it is an error.
	Required bool
	// Folded is set if the texts of a list are compared in their folded form, and may have commas.
	Folded bool
	// Costly is set if a search with it may take more than a fraction of a millisecond, or more memory than a page.
	Costly bool
	// Rule is the end of the error message for a wrong value: must be ….
	Rule string
	// Except has what is different for one operation, of the fields that For sets; those without a value are the same.
	Except map[Operation]Parameter

	operations uint16 // that it has an effect on
	filters    bool   // it determines which pubs are found
}

// Has reports whether the parameter has an effect on an operation.
func (p *Parameter) Has(o Operation) bool { return p.operations>>o&1 == 1 }

// TakenBy reports whether a resource, named by an operation, has the parameter: Search stands for lookups and distance
// searches, too.
func (p *Parameter) TakenBy(resource Operation) bool {
	return p.Has(resource) || resource == Search && (p.Has(Lookup) || p.Has(Distance))
}

// For returns the parameter as an operation takes it.
func (p *Parameter) For(o Operation) Parameter {
	row := *p
	e, differs := p.Except[o]
	if !differs {
		return row
	}
	row.Doc, row.Rule = cmp.Or(e.Doc, row.Doc), cmp.Or(e.Rule, row.Rule)
	row.Default, row.Example = cmp.Or(e.Default, row.Default), cmp.Or(e.Example, row.Example)
	row.Most, row.Required = cmp.Or(e.Most, row.Most), e.Required || row.Required
	if e.Choices != nil {
		row.Choices = e.Choices
	}
	return row
}

// A Param indexes the table. Of several wrong parameters, the first is reported.
type Param uint8

const (
	ParamPubid Param = iota
	ParamSearch
	ParamPage
	ParamAmount
	ParamSort
	ParamOrder
	ParamRated
	ParamLat
	ParamLng
	ParamDistance
	ParamMarker
	ParamRelax
	ParamPubids
	ParamTrading
	ParamCategory
	ParamLocation
	ParamMinimum // of the first number; those of the others follow
)

const (
	ParamBox = ParamMinimum + Param(schema.ExtraNumber) + iota
	ParamExclude
	ParamNear
	ParamAround
	ParamWeights
	ParamSeed
	ParamInclude
	ParamFields
	ParamFacets
	ParamFormat
	ParamSnapshot
	ParamStrict
	ParamAfter
	ParamFacetSearch
	ParamFeatures
	ParamOpen
	ParamOpenUnknown
	ParamArea
	ParamPostcode
	ParamMaximum // of the first number; those of the others follow
	ParamCount   = ParamMaximum + Param(schema.ExtraNumber)
)

// Limits and defaults of parameters.
const (
	MaxSearch          = 200 // characters
	MaxAmount          = 100
	DefaultAmount      = 20
	DefaultSuggestions = 10
	MaxHitPoints       = 20_000 // of a search
	MaxUIDs            = 100    // in a list
	MaxFeatures        = 50
)

// Table has every parameter.
var Table = table()

func table() (t [ParamCount]Parameter) {
	t = [ParamCount]Parameter{
		ParamPubid: {Name: "pubid", Aliases: strings.Fields("id uid"), Kind: Text, Least: 1, Example: "28cnk9", operations: lookups,
			Doc: "UID of the pub to look up, compared byte for byte. Of the other parameters, only include, fields, format, snapshot and strict are used, and pubids is rejected."},
		ParamSearch: {Name: "search", Aliases: strings.Fields("q query text term keyword keywords name"), Kind: Text, Least: 1, Most: MaxSearch, Example: "red lion", operations: finds | 1<<Suggest, filters: true,
			Rule: "must be at most 200 characters",
			Doc: "Words of names, places and postcodes, of which the last may be incomplete; * matches every pub. At most 200 characters. " +
				"Required, except in a lookup, in an export, and for the points of all pubs.",
			Except: map[Operation]Parameter{Suggest: {Doc: "The text to complete, at most 200 characters.", Required: true, Example: "red l"}}},
		ParamPage: {Name: "page", Aliases: append(Offsets, "p", "pagenumber"), Kind: Whole, Least: 1, Most: math.MaxInt64, Default: "1", Example: "1", operations: searches,
			Rule: "must be a positive integer",
			Doc:  "Page of the results, from 1. A page past the end has no pubs."},
		ParamAmount: {Name: "amount", Aliases: strings.Fields("limit count size pagesize perpage rows take top max maxresults"), Kind: Whole, Least: 1, Most: MaxAmount, Example: "20", operations: searches | 1<<Suggest,
			Rule: "must be an integer from 1 to 100",
			Doc:  "Pubs on a page, 1 to 100. The default is 20 for a search, and for a distance search the limit that the operator sets (1,000 by default).",
			Except: map[Operation]Parameter{Suggest: {Most: index.MaxSuggestions, Default: "10", Example: "5",
				Doc: "Maximum number of suggestions, 1 to 20.", Rule: "must be an integer from 1 to 20"}}},
		ParamSort: {Name: "sort", Aliases: strings.Fields("sortby orderby"), Kind: Choice, Choices: SortNames, Example: "total", operations: searches,
			Rule: "must be one of " + Listed(Without(SortNames, "distance")) + "; distance needs lat, lng and distance, or near, or around",
			Doc: "What to order the results by. The default is name for a search, and distance for a distance search. Missing values come last; " +
				"ties are ordered by folded name, name and UID. distance needs a centre: lat and lng, near or around; weighted needs weights, random needs seed."},
		ParamOrder: {Name: "order", Aliases: strings.Fields("direction dir sortorder"), Kind: Choice, Choices: []string{"asc", "desc"}, Default: "asc", Example: "desc", operations: searches,
			Rule: "must be asc or desc",
			Doc:  "Direction of the order. sort=relevance ignores it: the best match is always first."},
		ParamRated: {Name: "rated", Kind: Flag, Default: "false", Example: "true", operations: finds, filters: true,
			Rule: "must be true, false, 1 or 0",
			Doc:  "Keeps only rated pubs: those with at least one rating and, if the snapshot has review counts, at least one review."},
		ParamLat: {Name: "lat", Aliases: strings.Fields("latitude"), Kind: Decimal, Least: -90, Most: 90, Example: "51.5136", operations: finds, filters: true,
			Rule: "must be a number from -90 to 90",
			Doc:  "Latitude of the centre of a distance search, in degrees north. lat, lng and distance are given together."},
		ParamLng: {Name: "lng", Aliases: strings.Fields("lon long longitude"), Kind: Decimal, Least: -180, Most: 180, Example: "-0.1319", operations: finds, filters: true,
			Rule: "must be a number from -180 to 180",
			Doc:  "Longitude of the centre of a distance search, in degrees east."},
		ParamDistance: {Name: "distance", Aliases: strings.Fields("radius within dist km maxdistance maxradius"), Kind: Decimal, Least: 0, Most: math.MaxFloat64, Example: "2", operations: finds, filters: true,
			Rule: "must be a number of kilometres, 0 or more",
			Doc:  "Radius of a distance search in kilometres, inclusive. More than half the Earth's circumference means the whole Earth."},
		ParamMarker: {Name: "marker", Kind: Text, Least: 1, Example: "Red Lion", operations: finds, filters: true,
			Doc: "Name of a pub to leave out of a distance search, with all others of that name. Case, accents and punctuation do not count."},
		ParamRelax: {Name: "relax", Aliases: strings.Fields("fuzzy"), Kind: Flag, Choices: []string{"more"}, Default: "true", Example: "more", operations: finds,
			Rule: "must be true, false, 1, 0 or more",
			Doc: "Whether to relax a search that finds nothing, and to answer a query for all pubs, or those of a place, such as pubs in York; the response " +
				"says how, in relaxed. more, the default with sort=relevance, also adds to fewer than 5 results what the next attempt finds, and says so in more; with false or 0, the words must match as they stand."},
		ParamPubids: {Name: "pubids", Aliases: strings.Fields("ids uids"), Kind: Texts, Least: 1, Most: MaxUIDs, Example: "28cnk9,6xkb84", operations: lookups,
			Rule: "must be 1 to 100 UIDs, separated by commas, without pubid and search",
			Doc: "1 to 100 UIDs: a lookup of several pubs, in the requested order. Not allowed with pubid or search. " +
				"Of the other parameters, only include, fields, format, snapshot and strict are used."},
		ParamTrading:  valuesOf(schema.Trading, "status", "open", "Keeps pubs whose trading status is one of these."),
		ParamCategory: valuesOf(schema.Category, "type kind categories commoncategory", "brewpub,gastropub", "Keeps pubs whose common_category is one of these."),
		ParamLocation: valuesOf(schema.Location, "city town place locations", "Soho,Camden",
			"Keeps pubs whose location is one of these; the commas of a location may stay as they are."),
		ParamArea: valuesOf(schema.Area, "county region state district borough", "Greater London",
			"Keeps pubs whose area is one of these."),
		ParamPostcode: valuesOf(schema.Postcode, "postcodes zip zipcode postalcode outcode", "SW13,SW14",
			"Keeps pubs whose outward postcode is one of these. It is what is before the space of a postcode, or before the last three characters of a British one without a space."),
		ParamBox: {Name: "bbox", Aliases: strings.Fields("box bounds boundingbox viewport"), Kind: Decimals, Least: -180, Most: 180, Items: 4, Example: "-0.2,51.5,-0.1,51.52", operations: finds, filters: true, Costly: true,
			Rule: "must be minLng,minLat,maxLng,maxLat in degrees, minLat at most maxLat",
			Doc: "Keeps pubs in a box, edges included: minLng,minLat,maxLng,maxLat in degrees (the order of GeoJSON). " +
				"A minLng greater than maxLng crosses the 180° meridian; minLat is at most maxLat."},
		ParamExclude: {Name: "exclude", Aliases: strings.Fields("not without"), Kind: Texts, Least: 1, Most: MaxUIDs, Example: "28cnk9", operations: finds, filters: true, Costly: true,
			Rule: "must be 1 to 100 UIDs, separated by commas",
			Doc:  "1 to 100 UIDs of pubs to leave out."},
		ParamNear: {Name: "near", Aliases: strings.Fields("point center centre latlng latlon ll"), Kind: Decimals, Least: -180, Most: 180, Items: 2, Example: "51.5136,-0.1319", operations: finds | 1<<Suggest, filters: true, Costly: true,
			Rule: "must be lat,lng in degrees, without lat, lng, distance and around",
			Doc: "lat,lng in degrees: pubs around it are found first; every result has its distance from there, with no radius limit, and sort=distance is allowed. " +
				"Pubs without coordinates are left out. Not allowed with lat, lng, distance or around.",
			Except: map[Operation]Parameter{Suggest: {Doc: "lat,lng in degrees: suggests pubs and places, the nearest first, each with its distance from there. " +
				"A pub counts as 4 times as far away when its name does not begin with the words, 16 times when some of them are in its location; " +
				"a place of n pubs counts as 4/√n times as far. Not allowed with lat, lng, distance or around."}}},
		ParamAround: {Name: "around", Kind: Text, Least: 1, Example: "6xkb84", operations: finds, filters: true, Costly: true,
			Rule: "must be the UID of a pub with coordinates, without lat and lng",
			Doc:  "UID of a pub with coordinates: a distance search around that pub, which is left out. Replaces lat and lng; needs distance."},
		ParamWeights: {Name: "weights", Kind: Pairs, Least: 1, Most: schema.MetricCount, Choices: MetricNames, Example: "beer:3,toilets:1", operations: searches,
			Pattern: "^(" + strings.Join(MetricNames, "|") + "):([0-9]{1,2}([.][0-9]+)?|100([.]0+)?)$",
			Rule:    "must be metrics with weights from 0 to 100, not all 0, such as beer:3,toilets:1",
			Doc:     "Weights of the metrics for sort=weighted: metric:weight, each metric once, weights from 0 to 100, not all 0."},
		ParamSeed: {Name: "seed", Kind: Whole, Least: 0, Most: math.MaxInt64, Example: "7", operations: searches,
			Rule: "must be an integer from 0 to 9223372036854775807",
			Doc:  "Seed of sort=random: the same seed and snapshot give the same order, over all pages."},
		ParamInclude: {Name: "include", Aliases: strings.Fields("expand embed"), Kind: Choices, Choices: includeNames, Example: "rankings,label", operations: lookups | searches, Costly: true,
			Rule: "must be some of " + Listed(includeNames) + ", separated by commas",
			Doc:  "Additional members of each pub. They are " + includeDoc() + "."},
		ParamFields: {Name: "fields", Aliases: strings.Fields("select columns attributes"), Kind: Choices, Choices: fieldNames, Example: "UID,name", operations: lookups | searches, Costly: true,
			Rule: "must be some of " + Listed(fieldNames) + ", separated by commas",
			Doc:  "Return only these members of each pub; what sort and include add is kept."},
		ParamFacets: {Name: "facets", Aliases: strings.Fields("facet aggregations aggs groupby"), Kind: Choices, Choices: CountedNames, Example: "location,trading", operations: searches, Costly: true,
			Rule: FacetsRule(CountedNames),
			Doc: "Counts the pubs of the whole result by the values of these columns: the most frequent first, at most 50 values each. category stands for common_category. " +
				"Of a column of numbers, facets_stats has the least, the greatest and the mean."},
		ParamFormat: {Name: "format", Kind: Choice, Choices: formatNames, Default: "json", Example: "geojson", operations: lookups | searches | 1<<Export, Costly: true,
			Rule: "must be one of " + Listed(formatNames),
			Doc: "Format of the response; it overrides the header Accept, which may name the media type instead. Use spreadsheet for CSV to open in a spreadsheet program: " +
				"it begins with a byte order mark, and texts that such a program would run as a formula begin with an apostrophe. Do not load it back as data.",
			Except: map[Operation]Parameter{Export: {Choices: []string{"csv", "ndjson", "geojson"}, Default: "csv", Example: "ndjson", Rule: "must be one of csv, ndjson, geojson",
				Doc: "Format of the export; it overrides the header Accept. CSV is a snapshot file: pubd loads it back as the same pubs."}}},
		ParamSnapshot: {Name: "snapshot", Kind: Text, Pattern: "^[0-9a-f]{16}$", Example: "37b84017d441167c", operations: all,
			Doc: "Use this snapshot, named as in X-Snapshot and Link, while it is kept, so that the pages of a result stay consistent across a reload. " +
				"One that is no longer kept is a 410."},
		ParamStrict: {Name: "strict", Kind: Flag, Default: "false", Example: "true", operations: all, Rule: "must be true, false, 1 or 0",
			Doc: "Whether an unknown parameter is an error, with the code unknown_parameter and a suggested name. Otherwise it is ignored, and named in X-Ignored-Params."},
		ParamAfter: {Name: "after", Aliases: strings.Fields("cursor"), Kind: Text, Least: 1, Example: "28cnk9", operations: 1 << Export,
			Doc: "UID of a pub: return only the pubs after it, in order of name. CSV then has no header line, so that the concatenated parts of an export are the whole. " +
				"An unknown UID is a 404."},
		ParamFacetSearch: {Name: "facet_search", Kind: Text, Pattern: "^(" + strings.Join(FacetNames, "|") + "):.{1,200}$", Example: "location:ox", operations: searches, Costly: true,
			Rule: FacetSearchRule(FacetNames),
			Doc: "Counts only those values of one facet that have a word beginning with a text, such as location:ox: values that are not among the 50 most frequent, too. " +
				"The facet need not be listed in facets."},
		ParamFeatures: {Name: FilterNames[schema.Features], Aliases: strings.Fields("feature amenities amenity facilities tags"), Kind: Texts, Least: 1, Most: MaxFeatures, Folded: true, Example: "garden,-dog",
			operations: finds, filters: true, Costly: true, Rule: "must be at most 50 features, separated by commas, or by | if one is enough",
			Doc: "Keeps pubs that are known to have all of these features, in dog|wifi either, and with -dog known not to have it; phrases such as dog friendly stand for one. " +
				"An unknown feature is an error. Few directories tell them of all pubs."},
		ParamOpen: {Name: "open", Aliases: strings.Fields("opennow isopen opening openat"), Kind: Text, Pattern: "^(now|always|2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z?(/2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z?)?)$", Example: "2026-11-28T20:00",
			operations: finds, filters: true, Costly: true, Rule: "must be now, always, or a local time from the year 2000 on, such as 2026-11-28T20:00, or with Z one of UTC; or two such with / between, at most 8 days apart",
			Doc: "Keeps, of the pubs found, those that are known to be open now, at a local time, with Z one of UTC, at some time from one to before another, such as 2026-11-28T18:00/2026-11-29T00:00, or always. A pub whose trading says that it has closed is not. unknown is of how many of the pubs found that is not known."},
		ParamOpenUnknown: {Name: "open_unknown", Kind: Flag, Default: "false", Example: "true", operations: finds, Costly: true,
			Rule: "must be true, false, 1 or 0",
			Doc:  "Whether open keeps pubs, too, of which it is not known whether they are open."},
	}
	for number := range schema.ExtraNumber {
		t[ParamMinimum+Param(number)] = limitRow(number, Least, "at least")
		t[ParamMaximum+Param(number)] = limitRow(number, Most, "at most")
	}
	return t
}

// limitRow returns the row of a limit of a number.
func limitRow(n schema.Number, before, comparison string) Parameter {
	row := Parameter{Kind: Decimal, Least: 0, Most: 10, Example: "7", operations: finds, filters: true, Costly: true,
		Rule: "must be a number from 0 to 10"}
	if n == schema.NumberReviews {
		row.Name, row.Kind, row.Most, row.Example = before+"reviews", Whole, math.MaxInt64, "5"
		row.Rule = "must be an integer from 0 to 9223372036854775807"
		row.Doc = "Keeps pubs with " + comparison + " this many reviews."
		return row
	}
	if row.Name = before + n.String(); n == schema.Number(schema.Total) {
		row.Aliases = []string{strings.TrimSuffix(before, "_") + "rating"}
	}
	row.Doc = "Keeps pubs whose " + strings.ToLower(schema.Metric(n).Label()) + " rating is " + comparison + " this, from 0 to 10."
	return row
}

// valuesOf returns the row of a filter by the values of a facet, which are compared in their folded form.
func valuesOf(facet schema.Facet, aliases, example, doc string) Parameter {
	return Parameter{Name: FilterNames[facet], Aliases: strings.Fields(aliases), Kind: Texts, Least: 1, Folded: true, Example: example, operations: finds, filters: true, Costly: true,
		Rule: "must be values, separated by commas", Doc: doc + " Case, accents and punctuation do not count."}
}

// What precedes the name of a column of numbers.
const (
	Least = "min_"
	Most  = "max_"
)

// Names of sort keys, formats and metrics, and of what is counted, as errors and the documentation list them.
var (
	SortNames    = names(schema.Sort(schema.SortCount))
	formatNames  = names(FormatCount)
	MetricNames  = names(schema.Metric(schema.MetricCount))
	CountedNames = slices.Concat(FacetNames, MetricNames, []string{schema.NumberReviews.String()})
)

// FacetNames are in the order of the columns. FilterNames are, by facet, the parameters that filter by its values.
var FacetNames, FilterNames = func() (in []string, filters [schema.FacetCount]string) {
	for column := range schema.Columns {
		for facet := range schema.ExtraFacet {
			if facet.Column() == column {
				in, filters[facet] = append(in, facet.String()), strings.TrimPrefix(facet.String(), "common_")
			}
		}
	}
	return in, filters
}()

// names returns the names of values from 0 on.
func names[T interface {
	~uint8
	fmt.Stringer
}](count T) (list []string) {
	for value := range count {
		list = append(list, value.String())
	}
	return list
}

// Offsets are what other systems call the number of results before a page.
var Offsets = strings.Fields("offset start skip from")

func FacetsRule(names []string) string {
	return "must be some of " + Listed(names) + ", separated by commas"
}

func FacetSearchRule(names []string) string {
	last := len(names) - 1
	return "must be " + Listed(names[:last]) + " or " + names[last] + " and the beginning of a word, such as location:ox"
}

func Without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(one string) bool { return one == name })
}

// SortRuleByDistance is the rule of sort if there is a point to be near to.
var SortRuleByDistance = "must be one of distance, " + Listed(Without(SortNames, "distance"))

// Rows are the parameters as each operation takes them, Effective those that have an effect on it, Taken those that a
// resource has. Filtering are the parameters that determine which pubs are found, Costly those that are Costly.
var Rows, Effective, Taken, Filtering, Costly = func() (Rows [OperationCount][ParamCount]Parameter, Effective, Taken [OperationCount]Set,
	Filtering, Costly Set) {
	for p := range Table {
		for o := range OperationCount {
			Rows[o][p] = Table[p].For(o)
			if Table[p].Has(o) {
				Effective[o] |= 1 << p
			}
			if Table[p].TakenBy(o) {
				Taken[o] |= 1 << p
			}
		}
		if Table[p].filters {
			Filtering |= 1 << p
		}
		if Table[p].Costly {
			Costly |= 1 << p
		}
	}
	return Rows, Effective, Taken, Filtering, Costly
}()

// Allows reports whether a format is among the choices.
func (p *Parameter) Allows(f Format) bool { return slices.Contains(p.Choices, f.String()) }

// ByName are the parameters by their names in a query string, ByAlias by their aliases and by their names in letters
// alone.
var ByName, ByAlias = func() (ByName, ByAlias map[string]Param) {
	ByName, ByAlias = map[string]Param{}, map[string]Param{}
	for p, row := range Table {
		ByName[row.Name] = Param(p)
		ByAlias[strings.ReplaceAll(row.Name, "_", "")] = Param(p)
		for _, alias := range row.Aliases {
			ByAlias[alias] = Param(p)
		}
	}
	return ByName, ByAlias
}()

// String returns the name of the parameter in a query string.
func (p Param) String() string { return Table[p].Name }

// A Set has a bit for each parameter in it. A parser that looks at every row of the table for every request
// takes half a microsecond, a tenth of a lookup.
type Set uint64

var _ [64 - ParamCount]struct{} // the bits suffice

func (s Set) Has(p Param) bool { return s>>p&1 == 1 }

// First returns the first parameter of a set that is not empty.
func (s Set) First() Param { return Param(bits.TrailingZeros64(uint64(s))) }
