package params

// A Format is an output format.
type Format uint8

// The formats that requests can name.
const (
	JSON Format = iota
	GeoJSON
	CSV
	NDJSON
	Spreadsheet
	FormatCount
)

// formats has the names of the formats in requests, and their media types in the Accept header.
var formats = [FormatCount]struct{ name, mediaType string }{
	JSON:        {"json", "application/json"},
	GeoJSON:     {"geojson", "application/geo+json"},
	CSV:         {"csv", "text/csv"},
	NDJSON:      {"ndjson", "application/x-ndjson"},
	Spreadsheet: {"spreadsheet", "text/csv"},
}

// String returns the name of the format in requests.
func (f Format) String() string { return formats[f].name }

// MediaType returns the media type of the format in the header Accept.
func (f Format) MediaType() string { return formats[f].mediaType }
