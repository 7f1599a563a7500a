package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pubd/index"
)

// A statement is what some requests of a class have in common: their SQL. What differs stands in rows of the table
// requests, those from low to high.
type statement struct {
	sql       string
	low, high int
}

// where makes the statement whole for the rows that a condition on id picks.
func (s *statement) where(condition string) string {
	return fmt.Sprintf("SELECT a.* FROM requests r CROSS JOIN LATERAL (%s) a WHERE r.id %s", s.sql, condition)
}

const pubColumns = "p.uid, p.name, p.location, p.trading, p.latitude, p.longitude, p.common_category, p.beer, p.atmos, p.fengshui, " +
	"p.service, p.toilets, p.total, p.review_count"

// sqlOf is the SQL of a request, about the row r of its table.
func sqlOf(query url.Values) string {
	if query.Has("pubid") {
		return "SELECT " + pubColumns + " FROM pubs p WHERE p.uid = r.uid"
	}
	columns, total := pubColumns, "count(*) OVER ()"
	order, amount := cmp.Or(query.Get("sort"), "name"), integerOr(query.Get("amount"), 20)
	var conditions []string
	if query.Get("search") != "*" {
		conditions = append(conditions, "p.words LIKE r.pattern")
	}
	if query.Get("rated") == "true" {
		conditions = append(conditions, "p.rated")
	}
	if query.Has("lat") {
		columns += ", ST_Distance(p.place, r.place, false) AS distance"
		conditions = append(conditions, "ST_DWithin(p.place, r.place, r.metres, false)")
		order, amount = cmp.Or(query.Get("sort"), "distance"), integerOr(query.Get("amount"), 1000)
	}
	if len(conditions) == 0 {
		total = "(SELECT pubs FROM totals)" // counting a whole table at each request would be unfair
	}
	text := "SELECT " + columns + ", " + total + " AS total_results FROM pubs p"
	if len(conditions) > 0 {
		text += " WHERE " + strings.Join(conditions, " AND ")
	}
	if order != "distance" {
		order = "p." + order
	}
	if query.Get("order") == "desc" {
		order += " DESC"
	}
	return text + fmt.Sprintf(" ORDER BY %s NULLS LAST, p.name, p.uid LIMIT %d OFFSET r.first", order, amount)
}

// requestRow is what differs between the requests of a statement, as CSV has it.
func requestRow(id int, query url.Values) []string {
	pattern := ""
	for word := range strings.FieldsSeq(folded(query.Get("search"))) {
		pattern += "% " + word
	}
	metres := ""
	if query.Has("distance") {
		metres = query.Get("distance") + "000" // whole kilometres
	}
	first := (integerOr(query.Get("page"), 1) - 1) * integerOr(query.Get("amount"), 20)
	return []string{fmt.Sprint(id), query.Get("pubid"), pattern + "%", fmt.Sprint(first), query.Get("lat"), query.Get("lng"), metres}
}

// statementsOf puts the requests of a class in order of their SQL. Their rows are numbered from first on.
func statementsOf(queries []string, first int) (statements []statement, rows [][]string, err error) {
	type request struct {
		sql    string
		values url.Values
	}
	requests := make([]request, len(queries))
	for i, query := range queries {
		values, err := url.ParseQuery(query)
		if err != nil {
			return nil, nil, err
		}
		requests[i] = request{sqlOf(values), values}
	}
	slices.SortStableFunc(requests, func(a, b request) int { return strings.Compare(a.sql, b.sql) })
	for i, request := range requests {
		id := first + i
		if len(statements) == 0 || statements[len(statements)-1].sql != request.sql {
			statements = append(statements, statement{sql: request.sql, low: id})
		}
		statements[len(statements)-1].high = id
		rows = append(rows, requestRow(id, request.values))
	}
	return statements, rows, nil
}

// pubRow is a pub as CSV has it.
func pubRow(pub *index.Pub, rated bool) []string {
	number := func(value float64) string {
		if value != value {
			return ""
		}
		return fmt.Sprint(value)
	}
	row := []string{pub.UID, pub.Name, pub.Location, pub.Trading, number(pub.Latitude), number(pub.Longitude), pub.Category}
	for _, rating := range pub.Ratings {
		row = append(row, number(rating))
	}
	return append(row, fmt.Sprint(pub.ReviewCount), fmt.Sprint(rated), " "+strings.TrimSpace(folded(pub.Name)+" "+folded(pub.Location)))
}

func folded(text string) string { return string(index.AppendFolded(nil, []byte(text))) }

func integerOr(text string, absent int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return absent
}
