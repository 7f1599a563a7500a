package loader

// usualNames are names that lists of places give to columns of a snapshot, by what is left of them without case and
// separators. A snapshot file must use the names of columns; for it, those of coordinates are hints.
var usualNames = map[string]column{
	"long": columnLongitude, "geolong": columnLongitude, "geolng": columnLongitude, "geolon": columnLongitude, "longdd": columnLongitude,
	"geolat": columnLatitude, "latdd": columnLatitude,
	"title": columnName, "pubname": columnName, "barname": columnName, "businessname": columnName, "venuename": columnName, "tradingname": columnName,
	"town": columnLocation, "city": columnLocation, "locality": columnLocation, "posttown": columnLocation, "village": columnLocation,
	"addr:city": columnLocation, "addr:town": columnLocation, "addr:village": columnLocation,
	"county": columnArea, "state": columnArea, "region": columnArea, "province": columnArea, "localauthority": columnArea,
	"addr:county": columnArea, "addr:state": columnArea, "addr:province": columnArea,
	"zip": columnPostcode, "zipcode": columnPostcode, "postalcode": columnPostcode, "plz": columnPostcode, "addr:postcode": columnPostcode,
	"addr": columnAddress, "streetaddress": columnAddress, "fulladdress": columnAddress, "address1": columnAddress, "addressline1": columnAddress,
	"category": columnCategory, "alternativenames": columnAltNames, "othernames": columnAltNames, "aka": columnAltNames,
	"reviews": columnReviewCount, "numberofreviews": columnReviewCount,
}

// UsualColumn returns the column of a snapshot that a name of another list usually stands for; empty if there is none.
func UsualColumn(name string) string {
	if c, known := usualNames[squeezed(name)]; known {
		return c.String()
	}
	return ""
}
