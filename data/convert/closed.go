package convert

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"pubd/loader"
)

// A closing is a column that says that a pub is no more.
type closing struct {
	field int
	says  *regexp.Regexp // matches the values that do, in any case
	// isDate is set if the value is a date that must be past, isPast if it is what the place was, which counts if the
	// place is nothing else.
	isDate, isPast bool
}

var saysYes = regexp.MustCompile(`(?i)^(?:yes|y|true|t|1|permanently)$`)

// closings are by the plain names of their columns.
var closings = map[string]closing{
	"disused": {says: saysYes}, "abandoned": {says: saysYes}, "demolished": {says: saysYes}, "closed": {says: saysYes},
	"isclosed": {says: saysYes}, "permanentlyclosed": {says: saysYes}, "ispermanentlyclosed": {says: saysYes},
	"isopen":       {says: regexp.MustCompile(`(?i)^(?:no|n|false|f|0)$`)},
	"openinghours": {says: regexp.MustCompile(`(?i)^(?:24/7 |Mo-Su |Mo-Su,PH )?(?:closed|off)(?: ".*")?$`)},
	"enddate":      {says: regexp.MustCompile(`^[0-9]{4}(?:-[0-9]{2}){0,2}$`), isDate: true},
}

// pastKinds are tags of OpenStreetMap for what a place was.
var pastKinds = []string{"disused:amenity", "abandoned:amenity", "demolished:amenity", "removed:amenity", "razed:amenity", "was:amenity"}

// closedName matches names such as "The Fox (closed)".
var closedName = regexp.MustCompile(`(?i)[(\[](?:now |permanently )?closed(?: down)?[)\]]$`)

// findClosed counts the rows of pubs that are no more, and finds the columns that say so.
func (p *plan) findClosed() {
	for field, name := range p.list.Columns {
		c, known := closings[loader.PlainName(name[strings.LastIndexByte(name, '.')+1:])]
		if slices.Contains(pastKinds, name) {
			c, known = closing{says: regexp.MustCompile(`.`), isPast: true}, true
		}
		if c.field = field; known {
			p.closings = append(p.closings, c)
		}
	}
	says := make([]bool, len(p.list.Columns))
	for cells := range p.list.Cells() {
		if field := p.closedBy(cells); field >= 0 {
			says[field] = true
			p.closed++
		}
	}
	for field := range says {
		if says[field] {
			p.closedFields, p.used[field] = append(p.closedFields, field), true
		}
	}
}

// closedBy returns the field of a row that says that the pub is no more; -1 if none does.
func (p *plan) closedBy(cells []string) int {
	for _, c := range p.closings {
		value := strings.TrimSpace(cells[c.field])
		switch {
		case value == "" || !c.says.MatchString(value):
		case c.isDate && value >= time.Now().Format(time.DateOnly)[:len(value)]:
		case c.isPast && isPresent(func(name string) string { return cellOf(p.list.Columns, cells, name) }):
		default:
			return c.field
		}
	}
	for _, field := range p.fields[nameColumn] {
		if name := strings.TrimSpace(cells[field]); name != "" {
			if strings.ContainsAny(name[len(name)-1:], ")]") && closedName.MatchString(name) {
				return field
			}
			break
		}
	}
	return -1
}

// isPresent reports whether tags of OpenStreetMap say what a place is now.
func isPresent(tag func(name string) string) bool {
	return slices.ContainsFunc(mainTags[:presentTags], func(name string) bool { return tag(name) != "" })
}

// tradingStep says where the trading status is from, and how many pubs are no more.
func (p *plan) tradingStep() string {
	closed := ""
	if p.closed > 0 {
		closed = fmt.Sprintf("closed in %d rows by %s", p.closed, p.names(p.closedFields, ", "))
	}
	return either(closed, p.names(p.fields[tradingColumn], orElse))
}
