package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"pubd/bench/stage"
)

// postgres is PostgreSQL with trigrams (pg_trgm).
type postgres struct{ *stage.Postgres }

// find implements searcher: it selects the most similar names (with the location if there is no circle) above
// pg_trgm's similarity threshold.
func (s postgres) find(ctx context.Context, w way, questions []question) (shares, error) {
	var script strings.Builder
	script.WriteString("CREATE TEMP TABLE asked (id int, text text, lat float8, lng float8);\nCOPY asked FROM STDIN (FORMAT csv);\n")
	rows := csv.NewWriter(&script)
	for i, q := range questions {
		_ = rows.Write([]string{strconv.Itoa(i), w.text(q), fmt.Sprint(q.at.Lat), fmt.Sprint(q.at.Lng)})
	}
	rows.Flush()
	column, where := "placed", "true"
	if w.radius > 0 {
		column = "name"
		where = fmt.Sprintf("p.lat BETWEEN a.lat - %[1]v AND a.lat + %[1]v AND (p.lat - a.lat)^2 + ((p.lng - a.lng) * cosd(a.lat))^2 <= %[1]v^2",
			w.radius/kilometresPerDegree)
	}
	fmt.Fprintf(&script, `\.
SELECT id, uid FROM asked a, LATERAL (SELECT uid, similarity(p.%[1]s, a.text) AS likeness FROM pubs p WHERE p.%[1]s %% a.text AND %s
ORDER BY 2 DESC, 1 LIMIT %d) found ORDER BY id, likeness DESC, uid;
`, column, where, first)
	said, err := s.Run(ctx, script.String())
	answers := make([][]string, len(questions))
	for line := range strings.Lines(said) {
		number, uid, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		id, err := strconv.Atoi(number)
		if err != nil || id >= len(answers) {
			return shares{}, fmt.Errorf("psql: unexpected line %q", line)
		}
		answers[id] = append(answers[id], uid)
	}
	return sharesOf(questions, answers), err
}
