package convert

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/heading"
	"pubd/index/schema"
	"pubd/loader"
)

// A closing is a column that says that a pub is no more, or closed for some time.
type closing struct {
	names  *regexp.Regexp // matches its plain name
	status string         // what it says of trading
	says   func(value string) bool
	// isPast is set if the value says what the place used to be, which counts only if it is nothing else now.
	isPast bool
	field  int
}

const forGood, forSomeTime = "closed", "temporarily_closed"

func saysYes(value string) bool {
	return cell.IsYes(value) || strings.EqualFold(value, "permanently")
}

// closings are those by the names of columns. A name that is a trading status says so, too.
var closings = []closing{
	{names: regexp.MustCompile(`^(?:pub|bar|venue|place)?(?:is)?(?:temp(?:orary|orarily)?clos(?:ed|ure)|closedtemporarily)$`), status: forSomeTime, says: saysYes},
	{names: regexp.MustCompile(`^(?:pub|bar|venue|place)?(?:is)?(?:perm(?:anently)?closed|closed(?:permanently|down)?|disused|abandoned|demolished|defunct)$`), status: forGood, says: saysYes},
	{names: regexp.MustCompile(`^(?:pub|bar|venue|place)?(?:is|still)(?:open|operating)$`), status: forGood, says: cell.IsNo},
	{names: regexp.MustCompile(`^openinghours$`), status: forGood, says: regexp.MustCompile(`(?i)^(?:24/7 |Mo-Su |Mo-Su,PH )?(?:closed|off)(?: ".*")?$`).MatchString},
	{names: regexp.MustCompile(`^(?:end|clos(?:e|ed|ing|ure)|ceased(?:trading)?)(?:date|year|on|at)$|^(?:date|year)(?:closed|ofclosure|ended)$|^date(?:de)?fermeture$|^fecha(?:de)?cierre$|^datachiusura$`), status: forGood, says: isPastDate},
	{names: regexp.MustCompile(`^(?:disused|abandoned|demolished|removed|razed|was)amenity$`), status: forGood, says: func(string) bool { return true }, isPast: true},
}

// isPastDate reports whether a day, a month or a year is over, in each order in which it may be written.
func isPastDate(value string) (is bool) {
	value, _, _ = strings.Cut(value, "T")
	now := time.Now()
	for _, layout := range []string{"2006", "2006-01", "2006-01-02", "2006/01/02", "2/1/2006", "1/2/2006", "2.1.2006", "2 January 2006", "2 Jan 2006", "Jan 2, 2006", "January 2006"} {
		if day, err := time.Parse(layout, value); err == nil {
			if is = day.Before(now) && day.Format(layout) != now.Format(layout); !is {
				return false
			}
		}
	}
	return is
}

// closedName matches names such as "The Fox (closed)".
var closedName = regexp.MustCompile(`(?i)[(\[](?:now |permanently )?closed(?: down)?[)\]]$`)

// findClosed counts the rows of pubs that are closed, and finds the columns that say so: those of the pub itself.
func (p *plan) findClosed() {
	for field, name := range p.list.Columns {
		name = heading.OfPub(name)
		for _, c := range closings {
			if c.names.MatchString(loader.PlainName(name)) && !strings.Contains(name, ".") {
				c.field = field
				p.closings = append(p.closings, c)
			}
		}
		status := schema.Status(strings.ToLower(strings.ReplaceAll(name, "_", " "))) // chiuso_definitivamente
		if status == forGood || status == forSomeTime {
			p.closings = append(p.closings, closing{field: field, status: status, says: saysYes})
		}
	}
	slices.SortStableFunc(p.closings, func(a, b closing) int { return strings.Compare(a.status, b.status) })
	p.closed = map[string]int{}
	says := make([]bool, len(p.list.Columns))
	for cells := range p.list.Cells() {
		if field, status := p.closedBy(cells); status != "" {
			says[field] = true
			p.closed[status]++
		}
	}
	for field := range says {
		if says[field] {
			p.closedFields, p.used[field] = append(p.closedFields, field), true
		}
	}
}

// closedBy returns what a row says of a pub that is closed, for good rather than for some time, and the field that says
// so; empty if none does.
func (p *plan) closedBy(cells []string) (field int, status string) {
	for _, c := range p.closings {
		value := cell.Value("", schema.Text, cells[c.field])
		switch {
		case value == "" || !c.says(value):
		case c.isPast && cell.IsPresent(func(name string) string { return cell.Of(p.list.Columns, cells, name) }):
		default:
			return c.field, c.status
		}
	}
	for _, field := range p.fields[cell.NameColumn] {
		if name := strings.TrimSpace(cells[field]); name != "" {
			if strings.ContainsAny(name[len(name)-1:], ")]") && closedName.MatchString(name) {
				return field, forGood
			}
			break
		}
	}
	return 0, ""
}

// tradingStep says where the trading status is from, and how many pubs are closed.
func (p *plan) tradingStep() string {
	var closed []string
	for _, status := range slices.Sorted(maps.Keys(p.closed)) {
		closed = append(closed, fmt.Sprintf("%s in %d rows", status, p.closed[status]))
	}
	by := ""
	if closed != nil {
		by = strings.Join(closed, ", ") + " by " + p.names(p.closedFields, ", ")
	}
	return either(by, p.names(p.fields[cell.TradingColumn], orElse))
}
