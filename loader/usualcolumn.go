package loader

import "pubd/index"

// usualNames are names that lists of places give to columns of a snapshot, by what is left of them without case and
// separators. A snapshot file must use the names of columns; for it, those of coordinates are hints.
var usualNames = map[string]column{
	"long": index.ColumnLongitude, "geolong": index.ColumnLongitude, "geolng": index.ColumnLongitude, "geolon": index.ColumnLongitude, "longdd": index.ColumnLongitude,
	"geolat": index.ColumnLatitude, "latdd": index.ColumnLatitude,
	"title": index.ColumnName, "pubname": index.ColumnName, "barname": index.ColumnName, "businessname": index.ColumnName, "venuename": index.ColumnName, "tradingname": index.ColumnName,
	"town": index.ColumnLocation, "city": index.ColumnLocation, "locality": index.ColumnLocation, "posttown": index.ColumnLocation, "village": index.ColumnLocation,
	"addr:city": index.ColumnLocation, "addr:town": index.ColumnLocation, "addr:village": index.ColumnLocation,
	"county": index.ColumnArea, "state": index.ColumnArea, "region": index.ColumnArea, "province": index.ColumnArea, "localauthority": index.ColumnArea,
	"addr:county": index.ColumnArea, "addr:state": index.ColumnArea, "addr:province": index.ColumnArea,
	"zip": index.ColumnPostcode, "zipcode": index.ColumnPostcode, "postalcode": index.ColumnPostcode, "plz": index.ColumnPostcode, "addr:postcode": index.ColumnPostcode,
	"addr": index.ColumnAddress, "streetaddress": index.ColumnAddress, "fulladdress": index.ColumnAddress, "address1": index.ColumnAddress, "addressline1": index.ColumnAddress,
	"category": index.ColumnCategory, "alternativenames": index.ColumnAltNames, "othernames": index.ColumnAltNames, "aka": index.ColumnAltNames,
	"reviews": index.ColumnReviewCount, "numberofreviews": index.ColumnReviewCount,
}

// UsualColumn returns the column of a snapshot that a name of another list usually stands for; empty if there is none.
func UsualColumn(name string) string {
	if c, known := usualNames[squeezed(name)]; known {
		return index.Columns[c].Name
	}
	return ""
}
