package convert

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"pubd/cmd/pubd/lists/cell"
	"pubd/cmd/pubd/lists/heading"
	"pubd/loader"
)

// lacks says what a snapshot needs and the plan does not have, and what to add to the command; nil if nothing is
// missing.
func (p *plan) lacks() *loader.Complaint {
	if p.isProjected() {
		return &loader.Complaint{Line: p.list.Header, Rule: "its coordinates are metres of a projection: export it in degrees, WGS 84 (EPSG:4326)"}
	}
	hasUID, hasName := slices.Contains(p.columns, cell.UIDColumn), slices.Contains(p.columns, cell.NameColumn)
	if hasUID && hasName {
		return nil
	}
	if len(p.list.Columns) == 0 {
		rule := "has no row that could be a pub: is it the right file?"
		kinds := maps.Clone(p.list.Skipped)
		delete(kinds, cell.Nameless)
		delete(kinds, cell.Unclear)
		if len(kinds) > 0 {
			rule = "has no pub, but elements of other kinds: add --kinds with those to keep, of " + CountedKinds(kinds)
		}
		return &loader.Complaint{Rule: rule}
	}
	if p.list.Header > 0 && slices.ContainsFunc(p.list.Columns, isData) {
		if flag := p.presetFlag(); flag != "" {
			return &loader.Complaint{Line: p.list.Header, Rule: "has no line of names, as that published list: add " + flag + " to the command"}
		}
		return &loader.Complaint{Line: p.list.Header, Value: loader.Shorten(strings.Join(p.list.Columns, ", ")),
			Rule: "must name the columns, but seems to be a pub: put a line above it, such as " + p.suggestedHeader()}
	}
	var what, add []string
	if !hasUID {
		what, add = append(what, "no column is a UID"), append(add, cmp.Or(p.presetFlag(), "--uid auto"))
	}
	if !hasName {
		what = append(what, "no column is known to be the name")
		if name := p.likelyName(); name != "" {
			add = append(add, "--map "+shellWord("name="+name))
		} else {
			add = append(add, "--map name=COLUMN")
		}
		isFree := func(field int) bool { return !p.used[field] && canType(p.list.Columns[field]) }
		if lat, lng := p.coordinateFields(isFree); lat >= 0 && !slices.Contains(p.columns, cell.LatitudeColumn) {
			add = append(add, "--map "+shellWord("latitude="+p.list.Columns[lat]), "--map "+shellWord("longitude="+p.list.Columns[lng]))
		}
	}
	rule := fmt.Sprintf("%s: add %s to the command. ", strings.Join(what, ", and "), strings.Join(add, " "))
	if !hasUID && p.presetFlag() == "" {
		rule += "That makes UIDs from name and place; if there is a column of them, --map uid=COLUMN. "
	}
	return &loader.Complaint{Line: p.list.Header, Rule: rule + "The columns are " + p.examples()}
}

// canType reports whether a name can be typed: one that is long or has line breaks is no part of a command.
func canType(name string) bool { return name != "" && name == loader.Visible(loader.Shorten(name)) }

// shellWord quotes a text for a shell, if it needs that.
func shellWord(text string) string {
	if regexp.MustCompile(`^[\pL\pN_=.,:/@-]+$`).MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// examples returns the names of the columns, each with a value.
func (p *plan) examples() string {
	const most = 20
	var all []string
	for field, name := range p.list.Columns[:min(len(p.list.Columns), most)] {
		text := fmt.Sprintf("%q", loader.Shorten(name))
		if value := p.example(field); value != "" {
			if runes := []rune(value); len(runes) > 30 {
				value = string(runes[:30]) + "…"
			}
			text += fmt.Sprintf(" (such as %q)", value)
		}
		all = append(all, text)
	}
	if more := len(p.list.Columns) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}

var (
	numeric  = regexp.MustCompile(`^[-+]?[\d.,/:% -]+$`)
	isCode   = regexp.MustCompile(`^\S*\d\S*$`)
	saysName = regexp.MustCompile(`name|nom|naz|title|titel|pub|bar|inn`)
	noName   = regexp.MustCompile(`^(https?://|www\.|\+?[\d ()-]{7,}$)|@|^\d`)
)

// isData reports whether the name of a column is rather a value: a number or a link.
func isData(name string) bool {
	return name != "" && (numeric.MatchString(name) || noName.MatchString(name)) && len(name) > 1
}

// likelyName returns the column that is probably the name: of those that nothing else is known to be, and that are not
// those of persons, the first with different short texts in the rows.
func (p *plan) likelyName() string {
	best, most := "", 0.0
	for field, name := range p.list.Columns {
		if p.used[field] || !canType(name) || heading.IsPersonal(loader.PlainName(name)) {
			continue
		}
		different := map[string]bool{}
		all, texts, length := 0, 0, 0
		for value := range p.values(field) {
			all++
			if numeric.MatchString(value) || noName.MatchString(value) || isCode.MatchString(value) {
				continue
			}
			different[value] = true
			texts++
			length += len(value)
		}
		if texts == 0 || length/texts > 60 {
			continue
		}
		// Between columns that are alike, the first is the name.
		score := float64(len(different))/float64(all) - 0.01*float64(field)
		if saysName.MatchString(loader.PlainName(name)) {
			score++
		}
		if score > most {
			best, most = name, score
		}
	}
	return best
}

// coordinateFields returns two fields, one beside the other, that are probably latitude and longitude, of those that may
// be: numbers with two decimals or more, half of them with three. Both are -1 if there are none.
func (p *plan) coordinateFields(may func(field int) bool) (lat, lng int) {
	isDegrees := func(field int) bool {
		return may(field) && p.share(field, degrees.MatchString) >= nearlyAll && p.share(field, preciseDegrees.MatchString) > 0.5
	}
	for field := range max(0, len(p.list.Columns)-1) {
		if !isDegrees(field) || !isDegrees(field+1) {
			continue
		}
		if is, _ := isLongitudeFirst(p.positions(field, field+1), false); is {
			return field + 1, field
		}
		return field, field + 1
	}
	return -1, -1
}

var (
	degrees        = regexp.MustCompile(`^[-+]?\d{1,3}[.,]\d{2,}$`)
	preciseDegrees = regexp.MustCompile(`[.,]\d{3,}$`)
)

// suggestedHeader returns names for the columns of a table without any, as far as the rows tell.
func (p *plan) suggestedHeader() string {
	p.list.HeaderIsRow()
	lat, lng := p.coordinateFields(func(int) bool { return true })
	var names []string
	for field, value := range p.list.Columns {
		name := fmt.Sprintf("column%d", field+1)
		switch {
		case field == lat:
			name = cell.LatitudeColumn
		case field == lng:
			name = cell.LongitudeColumn
		case field == 0 && numeric.MatchString(value):
			name = cell.UIDColumn
		case !isData(value) && !slices.Contains(names, cell.NameColumn):
			name = cell.NameColumn
		}
		names = append(names, name)
	}
	return strings.Join(names, cmp.Or(p.list.Separator, ","))
}

// isProjected reports whether latitudes and longitudes are no degrees, and not converted.
func (p *plan) isProjected() (is bool) {
	if len(p.fields[cell.LatitudeColumn]) == 0 || p.grid {
		return false
	}
	for at := range p.positions(p.fields[cell.LatitudeColumn][0], p.fields[cell.LongitudeColumn][0]) {
		if is = min(math.Abs(at[0]), math.Abs(at[1])) > 180; !is {
			return false
		}
	}
	return is
}
