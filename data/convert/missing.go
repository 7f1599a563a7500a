package convert

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/data/coordinate"
	"pubd/loader"
)

// missing says what a snapshot needs and the plan does not have, and what to add to the command; nil if nothing is
// missing.
func (p *plan) missing() *loader.Complaint {
	if projection := p.projection(); projection != "" {
		return &loader.Complaint{Line: p.list.Header, Rule: fmt.Sprintf("its coordinates are %s: export it in degrees, WGS 84 (EPSG:4326)", projection)}
	}
	hasUID, hasName := slices.Contains(p.columns, uidColumn), slices.Contains(p.columns, nameColumn)
	if hasUID && hasName {
		return nil
	}
	if better := p.list.Better; canType(better) && !strings.HasPrefix(better, "-") {
		rule := fmt.Sprintf("no column is known, but some of the sheet %q are: add --sheet %s to the command", better, shellWord(better))
		if !p.autoUID {
			rule += ", and --uid auto if it has no column of UIDs"
		}
		return &loader.Complaint{Line: p.list.Header, Rule: rule}
	}
	if len(p.list.Columns) == 0 {
		rule := "has no row that could be a pub: is it the right file?"
		for _, kind := range slices.Sorted(maps.Keys(p.list.Skipped))[:min(1, len(p.list.Skipped))] {
			n := p.list.Skipped[kind]
			rule = fmt.Sprintf("has no pub, but other kinds of elements such as %s (%d): --kinds says which to keep", kind, n)
		}
		return &loader.Complaint{Rule: rule}
	}
	if p.list.Header > 0 && slices.ContainsFunc(p.list.Columns, isData) {
		return &loader.Complaint{Line: p.list.Header, Value: loader.Shorten(strings.Join(p.list.Columns, ", ")),
			Rule: "must name the columns, but seems to be a pub: put a line above it, such as " + p.suggestedHeader()}
	}
	var what, add []string
	if !hasUID {
		what, add = append(what, "no column is a UID"), append(add, "--uid auto")
	}
	if !hasName {
		what = append(what, "no column is known to be the name")
		if name := p.likelyName(); name != "" {
			add = append(add, "--map "+shellWord("name="+name))
		} else {
			add = append(add, "--map name=COLUMN")
		}
		if lat, lng := p.likelyCoordinates(); lat != "" {
			add = append(add, "--map "+shellWord("latitude="+lat), "--map "+shellWord("longitude="+lng))
		}
	}
	rule := fmt.Sprintf("%s: add %s to the command. ", strings.Join(what, ", and "), strings.Join(add, " "))
	if !hasUID {
		rule += "That makes UIDs from name and place; if there is a column of them, --map uid=COLUMN. "
	}
	return &loader.Complaint{Line: p.list.Header, Rule: rule + "The columns are " + p.examples()}
}

// canType reports whether a name can be typed: one that is long or has line breaks is no part of a command.
func canType(name string) bool { return name != "" && name == loader.Visible(loader.Shorten(name)) }

// shellWord quotes a text for a shell, if it needs that.
func shellWord(text string) string {
	if regexp.MustCompile(`^[\pL\pN_=.:/@-]+$`).MatchString(text) {
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
		for _, cells := range p.list.Sample {
			if value := strings.TrimSpace(cells[field]); value != "" {
				if runes := []rune(value); len(runes) > 30 {
					value = string(runes[:30]) + "…"
				}
				text += fmt.Sprintf(" (such as %q)", value)
				break
			}
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

// likelyName returns the column that is probably the name: of those that nothing else is known to be, the first with
// different short texts in the rows.
func (p *plan) likelyName() string {
	best, most := "", 0.0
	for field, name := range p.list.Columns {
		if p.used[field] || !canType(name) {
			continue
		}
		different := map[string]bool{}
		texts, length := 0, 0
		for _, cells := range p.list.Sample {
			value := strings.TrimSpace(cells[field])
			if value == "" || numeric.MatchString(value) || noName.MatchString(value) || isCode.MatchString(value) {
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
		score := float64(len(different))/float64(len(p.list.Sample)) - 0.01*float64(field)
		if saysName.MatchString(loader.PlainName(name)) {
			score++
		}
		if score > most {
			best, most = name, score
		}
	}
	return best
}

// likelyCoordinates returns two columns, one after the other, that are probably latitude and longitude: decimal numbers
// of their range, with two decimals or more.
func (p *plan) likelyCoordinates() (lat, lng string) {
	if slices.Contains(p.columns, latitudeColumn) {
		return "", ""
	}
	fits := func(field int, most float64) bool {
		found := 0
		for _, cells := range p.list.Sample {
			value := strings.Replace(strings.TrimSpace(cells[field]), ",", ".", 1)
			if value == "" {
				continue
			}
			degrees, err := strconv.ParseFloat(value, 64)
			_, decimals, _ := strings.Cut(value, ".")
			if err != nil || math.Abs(degrees) > most || len(decimals) < 2 {
				return false
			}
			if len(decimals) > 2 {
				found++
			}
		}
		return found > 0
	}
	for field := range len(p.list.Columns) - 1 {
		if !p.used[field] && !p.used[field+1] && canType(p.list.Columns[field]) && canType(p.list.Columns[field+1]) && fits(field, 90) && fits(field+1, 180) {
			return p.list.Columns[field], p.list.Columns[field+1]
		}
	}
	return "", ""
}

// suggestedHeader returns names for the columns of a table without any, as far as the first values tell.
func (p *plan) suggestedHeader() string {
	var names []string
	taken := func(name string) bool { return slices.Contains(names, name) }
	for field := range p.list.Columns {
		value := strings.TrimSpace(p.list.Columns[field])
		decimal := strings.Contains(value, ".")
		_, isLatitude := coordinate.Latitude(value)
		switch {
		case numeric.MatchString(value) && decimal && isLatitude && !taken(latitudeColumn):
			names = append(names, latitudeColumn)
		case numeric.MatchString(value) && decimal && taken(latitudeColumn) && !taken(longitudeColumn):
			names = append(names, longitudeColumn)
		case numeric.MatchString(value) && !taken(uidColumn) && field == 0:
			names = append(names, uidColumn)
		case !isData(value) && !taken(nameColumn):
			names = append(names, nameColumn)
		default:
			names = append(names, fmt.Sprintf("column%d", field+1))
		}
	}
	return strings.Join(names, ",")
}

// projection names the projection of latitudes and longitudes that are no degrees; empty if they are, or are converted.
func (p *plan) projection() string {
	if len(p.fields[latitudeColumn]) == 0 || p.grid {
		return ""
	}
	found := ""
	for north, east := range p.positions() {
		projection := coordinate.Projection(east, north)
		if projection == "" || found != "" && projection != found {
			return ""
		}
		found = projection
	}
	return found
}
