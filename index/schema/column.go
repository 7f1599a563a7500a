// Package schema says what a pub is, to those who build an index and those who ask it: a table each of columns, metrics,
// facets and sort keys, from which files, answers, filters, orders and documentation follow; and how values are written.
package schema

// A Column is a column of a snapshot file, and a member of a pub in answers.
type Column struct {
	Name    string
	Aliases []string // other names in snapshot files
	// Usual has the names in the lists that people have, the best first, in the languages of their countries; case,
	// accents and separators do not matter.
	Usual []string
	Kind  Kind
	// Least and Most are the limits of a Decimal.
	Least, Most float64
	// Required is set if each pub has a value; without one, the others are empty or, in JSON, null.
	Required bool
	// OnRequest is set if answers have the member only on request.
	OnRequest bool
	// Lenient is set if a value that breaks a rule is left out, instead of rejecting its row.
	Lenient bool
	// Doc is a sentence about the values, Example is one of them as in CSV.
	Doc, Example string

	// One of them, that of the Kind, returns where the value is in a pub.
	Text    func(pub *Pub) *string
	Decimal func(pub *Pub) *float64
	Whole   func(pub *Pub) *int64
}

// A Kind of values.
type Kind uint8

// The kinds: texts, decimal numbers, and whole numbers that are 0 or more, of which 0 stands for a missing one.
const (
	Text Kind = iota
	Decimal
	Whole
)

// The positions in [Columns]. Those of the metrics are in between; see [Metric.Column].
const (
	ColumnUID = iota
	ColumnName
	ColumnLocation
	ColumnTrading
	ColumnLatitude
	ColumnLongitude
	ColumnCategory
	ColumnRatings // the first of the metrics
)

// The positions after the metrics.
const (
	ColumnReviewCount = ColumnRatings + MetricCount + iota
	ColumnAddress
	ColumnPostcode
	ColumnArea
	ColumnAltNames
	ColumnFeatures
	ColumnHours
	ColumnBrand
	ColumnTimeZone
	ColumnCount

	// PreparedColumns is the number of columns, the first ones, that answers have without a request. The others are
	// texts.
	PreparedColumns = ColumnAddress
)

// Columns has all columns, in the order of answers. A change of it changes the content of index files, and needs a new
// [pubd/index/indexfile.Version]; a test says so.
var Columns = complete([ColumnCount]Column{
	ColumnUID: {Name: "UID", Aliases: []string{"id", "pubid"}, Usual: []string{"identifiant", "identificador"}, Required: true, Text: func(pub *Pub) *string { return &pub.UID },
		Doc: "Identifier of the pub.", Example: "28cnk9"},
	ColumnName: {Name: "name", Required: true, Text: func(pub *Pub) *string { return &pub.Name },
		Usual: []string{"pub_name", "pub", "bar_name", "dba", "dba_name", "doing_business_as", "doing_business_as_name",
			"doing_business_as_dba", "trade_name", "trading_name", "trading_as", "business_name", "venue_name", "venue",
			"place_name", "display_name", "establishment", "name_of_pub", "premises_name", "title", "item_label", "label", "names", "nom", "nombre",
			"Bezeichnung", "název", "jméno", "ainm"},
		Doc: "Name.", Example: "Red Lion Inn"},
	ColumnLocation: {Name: "location", Text: func(pub *Pub) *string { return &pub.Location },
		Usual: []string{"town", "village", "addr:village", "addr:town", "city", "addr:city", "post_town",
			"locality", "address_locality", "addr:suburb", "addr:hamlet", "suburb", "municipality", "parish", "city_town",
			"town_city", "Ort", "Stadt", "Gemeinde", "ville", "commune", "ciudad", "localidad", "municipio",
			"población", "město", "obec", "baile"},
		Doc: "General area.", Example: "Batley"},
	ColumnTrading: {Name: "trading", Text: func(pub *Pub) *string { return &pub.Trading },
		Usual: []string{"trading_status", "business_status", "operating_status", "operational_status", "opening_status", "pub_status",
			"current_status", "status", "statut"},
		Doc: "Trading status.", Example: "open"},
	ColumnLatitude: {Name: "latitude", Aliases: []string{"lat"}, Kind: Decimal, Least: -90, Most: 90,
		Decimal: func(pub *Pub) *float64 { return &pub.Latitude },
		Usual: []string{"geo_lat", "lat_dd", "lat_deg", "y", "Breitengrad", "Breite", "latitud",
			"zeměpisná šířka"},
		Doc: "Degrees north, given if longitude is.", Example: "53.718079"},
	ColumnLongitude: {Name: "longitude", Aliases: []string{"lng", "lon"}, Kind: Decimal, Least: -180, Most: 180,
		Decimal: func(pub *Pub) *float64 { return &pub.Longitude },
		Usual: []string{"long", "lngt", "geo_long", "geo_lng", "geo_lon", "long_dd", "lon_deg", "x", "Längengrad",
			"Länge", "longitud", "zeměpisná délka"},
		Doc: "Degrees east, given if latitude is.", Example: "-1.636838"},
	ColumnCategory: {Name: "common_category", Text: func(pub *Pub) *string { return &pub.Category },
		Usual: []string{"category", "categories", "pub_type", "bar_type", "venue_type", "business_type",
			"establishment_type", "brewery_type", "Kategorie", "catégorie", "categoría"},
		Doc: "The category most frequently reviewed.", Example: "Brewpub"},
	ColumnReviewCount: {Name: "review_count", Kind: Whole, Whole: func(pub *Pub) *int64 { return &pub.ReviewCount },
		Usual: []string{"reviews", "number_of_reviews", "num_reviews", "reviews_count", "user_ratings_total",
			"ratings_total"},
		Doc: "Number of reviews.", Example: "9"},
	ColumnAddress: {Name: "address", Text: func(pub *Pub) *string { return &pub.Address },
		Usual: []string{"full_address", "street_address", "formatted_address", "addr:full", "premises_address", "address_line_1",
			"address_1", "addr", "addresses", "Adresse", "Anschrift", "Straße und Hausnummer",
			"dirección", "domicilio", "adresa"},
		Doc: "House and street, or the whole address.", Example: "17 High Street"},
	ColumnPostcode: {Name: "postcode", Text: func(pub *Pub) *string { return &pub.Postcode },
		Usual: []string{"post_code", "postal_code", "zip", "zip_code", "addr:postcode", "premises_postcode", "eircode", "PLZ",
			"Postleitzahl", "code_postal", "cp", "código postal", "PSČ"},
		Doc: "Postcode.", Example: "SW13 9LW"},
	ColumnArea: {Name: "area", Text: func(pub *Pub) *string { return &pub.Area },
		Usual: []string{"county", "addr:county", "local_authority", "authority", "district", "borough", "region",
			"state", "state_province", "province", "addr:district", "addr:province", "addr:state", "address_region", "Landkreis",
			"Bundesland", "département", "provincia", "kraj", "okres", "country",
			"addr:country"},
		Doc: "A place larger than the location: a county, an authority, a region or a country.", Example: "Richmond upon Thames"},
	ColumnAltNames: {Name: "alt_names", Text: func(pub *Pub) *string { return &pub.AltNames },
		Usual: []string{"alt_name", "old_name", "official_name", "short_name", "name:en", "alternative_names",
			"alternative_name", "other_names", "former_name", "aka", "also_known_as"},
		Doc: "Other names, separated by semicolons.", Example: "The Dog;Hen Dafarn"},
	ColumnFeatures: {Name: "features", Lenient: true, Text: func(pub *Pub) *string { return &pub.Features },
		Usual: []string{"amenities", "facilities", "Ausstattung", "équipements", "servicios", "voorzieningen"},
		Doc:   "What the pub offers, separated by semicolons; `-` before one says that it does not.", Example: "garden;dog;-wifi"},
	ColumnHours: {Name: "opening_hours", Lenient: true, Text: func(pub *Pub) *string { return &pub.OpeningHours },
		Usual: []string{"hours", "opening_times", "hours_of_operation", "Öffnungszeiten", "horaires", "horario", "openingstijden",
			"orari", "otevírací doba", "godziny otwarcia"},
		Doc: "When the pub is open, in OpenStreetMap's notation.", Example: "Mo-Th 12:00-23:00; Fr-Su 12:00-24:00"},
	ColumnBrand: {Name: "brand", Lenient: true, Text: func(pub *Pub) *string { return &pub.Brand },
		Usual: []string{"chain", "pub_chain", "pubco", "brand_name", "group"},
		Doc:   "The chain that the pub belongs to: a name by which it is found.", Example: "Wetherspoon"},
	ColumnTimeZone: {Name: "time_zone", Lenient: true, Text: func(pub *Pub) *string { return &pub.TimeZone },
		Usual: []string{"timezone", "tz", "tzid"},
		Doc:   "Time zone of the opening hours; missing where it is that of the server.", Example: "Europe/London"},
})

// complete adds the columns of the metrics, and what depends on the position.
func complete(columns [ColumnCount]Column) [ColumnCount]Column {
	for metric := range Metric(MetricCount) {
		columns[metric.Column()] = Column{Name: metric.String(), Kind: Decimal, Most: 10, Doc: metrics[metric].doc, Example: "7.5",
			Decimal: func(pub *Pub) *float64 { return &pub.Ratings[metric] }}
	}
	for i := range columns {
		columns[i].OnRequest = i >= PreparedColumns
	}
	return columns
}

// Value returns the value of a pub: a string, float64 or int64, or nil if a text or a decimal number is missing.
func (c *Column) Value(pub *Pub) any {
	switch {
	case c.Kind == Whole:
		return *c.Whole(pub)
	case !c.Has(pub):
		return nil
	case c.Kind == Decimal:
		return *c.Decimal(pub)
	}
	return *c.Text(pub)
}

// Has reports whether a pub has a value.
func (c *Column) Has(pub *Pub) bool {
	switch c.Kind {
	case Text:
		return *c.Text(pub) != ""
	case Decimal:
		return IsPresent(*c.Decimal(pub))
	}
	return *c.Whole(pub) > 0
}

// Number returns the value of a number.
func (c *Column) Number(pub *Pub) float64 {
	if c.Kind == Whole {
		return float64(*c.Whole(pub))
	}
	return *c.Decimal(pub)
}
