package httpapi

import (
	"slices"

	"pubd/geo"
	"pubd/index"
)

// defaultSuggestions is the number of suggestions without amount.
const defaultSuggestions = 10

const ruleSuggestions = "must be an integer from 1 to 20"

// parseSuggest parses the query string of suggest.
func (p *params) parseSuggest(raw, _ []byte, _ int) fault {
	p.reset(opSuggest, raw)
	if f := p.readOnce(raw, suggestParameters); f.isSet() {
		return f
	}
	if !p.values.has(paramSearch) {
		return fault{row: missingCompanion, parameter: paramSearch, rule: "there is nothing to complete"}
	}
	p.query.Amount = defaultSuggestions
	f := p.parseSome(suggestParameters)
	if p.query.Amount > index.MaxSuggestions && (!f.isSet() || f.parameter > paramAmount) {
		f = fault{row: invalidParameter, parameter: paramAmount}
	}
	if f.parameter == paramAmount {
		f.rule = ruleSuggestions
	}
	if !f.isSet() && p.near {
		p.setCircle(geo.Point{Lat: p.lat, Lng: p.lng})
	}
	return f
}

// parseStats parses the query string of stats.
func (p *params) parseStats(raw, _ []byte, _ int) fault {
	p.reset(opStats, raw)
	if f := p.readOnce(raw, statsParameters); f.isSet() {
		return f
	}
	return p.parseSome(statsParameters)
}

// pointsParameters are the parameters of points: those that determine which pubs a search finds.
var pointsParameters = []parameter{paramSearch, paramRated, paramLat, paramLng, paramDistance, paramMarker, paramRelax, paramTrading,
	paramCategory, paramLocation, paramMinBeer, paramMinAtmos, paramMinFengshui, paramMinService, paramMinToilets, paramMinTotal,
	paramMinReviews, paramBox, paramExclude, paramNear, paramAround, paramSnapshot, paramStrict}

// parsePoints parses the query string of points. An empty one requests all pubs.
func (p *params) parsePoints(raw, _ []byte, _ int) fault {
	p.reset(opPoints, raw)
	if p.everything = len(raw) == 0; p.everything {
		p.values.read(raw) // forgets those of another request
		return fault{}
	}
	if f := p.readOnce(raw, pointsParameters); f.isSet() {
		return f
	}
	if !p.values.has(paramSearch) {
		return fault{row: missingCompanion, parameter: paramSearch, rule: "points of all pubs take no parameters"}
	}
	f := p.findOperation()
	circle := p.operation == opDistance
	p.operation = opPoints
	if f.isSet() {
		return f
	}
	if f := p.parseSome(pointsParameters); f.isSet() {
		return f
	}
	if circle || p.near {
		p.setCircle(geo.Point{Lat: p.lat, Lng: p.lng})
	}
	p.query.Page, p.query.Amount, p.query.Sort = 1, maxHitPoints, index.SortRandom // a sample if there are too many hits
	p.query.NoDistances = true
	p.expensive = true
	return fault{}
}

// exportParameters are the parameters of an export: those that determine which pubs a search finds, and how they are
// written.
var exportParameters = append(slices.Clone(pointsParameters), paramFormat, paramAfter)

const ruleExportFormat = "must be one of csv, ndjson, geojson"

// parseExport parses the query string of an export. Without a filter it requests all pubs.
func (p *params) parseExport(raw, accept []byte, _ int) fault {
	p.reset(opExport, nil)
	if f := p.readOnce(raw, exportParameters); f.isSet() {
		return f
	}
	p.everything = true
	for _, parameter := range pointsParameters {
		if p.values.has(parameter) && parameter != paramSnapshot && parameter != paramStrict && parameter != paramRelax {
			p.everything = false
		}
	}
	f := p.findOperation()
	circle := p.operation == opDistance
	p.operation = opExport
	if f.isSet() {
		return f
	}
	if f := p.parseSome(exportParameters); f.isSet() {
		if f.parameter == paramFormat {
			f.rule = ruleExportFormat
		}
		return f
	}
	if !p.values.has(paramFormat) {
		if p.format = acceptedFormat(accept); p.format == formatJSON {
			p.format = formatCSV
		}
	}
	if p.format == formatJSON || p.format == formatSpreadsheet {
		return fault{row: invalidParameter, parameter: paramFormat, rule: ruleExportFormat}
	}
	if !p.values.has(paramSearch) {
		p.query.All = true
	}
	if circle || p.near {
		p.setCircle(geo.Point{Lat: p.lat, Lng: p.lng})
	}
	p.query.Sort, p.query.NoDistances = index.SortName, true
	p.expensive = !p.everything
	for member := range uint8(memberCount) {
		if exportMembers&(1<<member) != 0 {
			p.members = append(p.members, member)
		}
	}
	return fault{}
}
