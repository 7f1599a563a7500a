package loader

// column is one of the columns that a snapshot file may have. It indexes [row].
type column int8

const (
	unknown column = iota - 1
	columnUID
	columnName
	columnLocation
	columnTrading
	columnLatitude
	columnLongitude
	columnCategory
	columnBeer
	columnAtmos
	columnFengshui
	columnService
	columnToilets
	columnTotal
	columnReviewCount
	columnCount
)

var columnNames = [columnCount]string{
	"UID", "name", "location", "trading", "latitude", "longitude", "common_category",
	"beer", "atmos", "fengshui", "service", "toilets", "total", "review_count",
}

func (c column) String() string { return columnNames[c] }

// columnOf finds a column by its name or alias in any case of ASCII. It does not allocate.
func columnOf(name string) column {
	var buffer [len("common_category")]byte
	if len(name) > len(buffer) {
		return unknown
	}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buffer[i] = c
	}
	switch string(buffer[:len(name)]) {
	case "uid", "id", "pubid":
		return columnUID
	case "name":
		return columnName
	case "location":
		return columnLocation
	case "trading":
		return columnTrading
	case "latitude", "lat":
		return columnLatitude
	case "longitude", "lng", "lon":
		return columnLongitude
	case "common_category":
		return columnCategory
	case "beer":
		return columnBeer
	case "atmos":
		return columnAtmos
	case "fengshui":
		return columnFengshui
	case "service":
		return columnService
	case "toilets":
		return columnToilets
	case "total":
		return columnTotal
	case "review_count":
		return columnReviewCount
	}
	return unknown
}
