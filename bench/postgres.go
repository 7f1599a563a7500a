package bench

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pubd/bench/stage"
	"pubd/index"
)

// postgresTable has the pubs with the indexes that their searches need. placed is the name and the location.
const postgresTable = `CREATE EXTENSION postgis;
CREATE EXTENSION pg_trgm;
CREATE TABLE pubs (uid text PRIMARY KEY, name text, location text, lat float8, lng float8, review_count bigint,
	%s float8, rated boolean, placed text GENERATED ALWAYS AS (name || ' ' || location) STORED,
	at geography(Point) GENERATED ALWAYS AS (ST_MakePoint(lng, lat)::geography) STORED);
COPY pubs (uid, name, location, lat, lng, review_count, %s, rated) FROM STDIN
	(FORMAT csv, FORCE_NOT_NULL (location));
%s\.
CREATE INDEX ON pubs (name, uid);
CREATE INDEX ON pubs (total, uid);
CREATE INDEX ON pubs (lat);
CREATE INDEX ON pubs USING gist (at);
CREATE INDEX ON pubs USING gin (placed gin_trgm_ops);
VACUUM ANALYZE;
`

// StartPostgres starts a PostgreSQL with the pubs in a table pubs. The command before is that of [stage.StartProxy].
func StartPostgres(ctx context.Context, directory index.Directory, before ...string) (*stage.Postgres, error) {
	number := func(value float64) string {
		if math.IsNaN(value) {
			return ""
		}
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	var rows strings.Builder
	w := csv.NewWriter(&rows)
	for i := range directory.Pubs {
		pub := &directory.Pubs[i]
		row := []string{pub.UID, pub.Name, pub.Location, number(pub.Latitude), number(pub.Longitude), strconv.FormatInt(pub.ReviewCount, 10)}
		for _, rating := range pub.Ratings {
			row = append(row, number(rating))
		}
		_ = w.Write(append(row, strconv.FormatBool(directory.IsRated(pub))))
	}
	w.Flush()
	server, err := stage.StartPostgres(ctx, before...)
	if err != nil {
		return nil, err
	}
	if _, err := server.Run(ctx, fmt.Sprintf(postgresTable, strings.Join(Metrics, " float8, "), strings.Join(Metrics, ", "), rows.String())); err != nil {
		server.Close()
		return nil, err
	}
	return server, nil
}
