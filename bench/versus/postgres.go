package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pubd/bench/compare"
	"pubd/bench/stage"
	"pubd/index"
)

//go:embed postgres.sql
var postgresTables string

// postgresIndexes are made once the tables are full.
const postgresIndexes = `
CREATE INDEX ON pubs USING gin (words gin_trgm_ops);
CREATE INDEX ON pubs USING gist (place);
CREATE INDEX ON pubs (name, uid);
CREATE INDEX ON pubs (total NULLS LAST, name, uid);
CREATE TABLE totals AS SELECT count(*) AS pubs FROM pubs;
VACUUM ANALYZE;
`

// postgres is PostgreSQL with PostGIS and trigrams, and the statements of each class.
type postgres struct {
	*stage.Postgres
	classes [][]statement
}

// startPostgres loads the pubs and the requests of all classes into a new database.
func startPostgres(ctx context.Context, directory *index.Directory, queries [][]string) (*postgres, error) {
	started, err := stage.StartPostgres(ctx, compare.OnServerCore, "shared_buffers=512MB", "work_mem=32MB", "effective_cache_size=2GB", "random_page_cost=1.1",
		"max_parallel_workers_per_gather=0", "autovacuum=off", "max_connections=20")
	if err != nil {
		return nil, err
	}
	s := &postgres{Postgres: started}
	var script strings.Builder
	script.WriteString(postgresTables)
	rows := csv.NewWriter(&script)
	script.WriteString("COPY pubs FROM STDIN (FORMAT csv);\n")
	for i := range directory.Pubs {
		_ = rows.Write(pubRow(&directory.Pubs[i], directory.IsRated(&directory.Pubs[i])))
	}
	rows.Flush()
	script.WriteString("\\.\nCOPY requests (id, uid, pattern, first, latitude, longitude, metres) FROM STDIN (FORMAT csv);\n")
	next := 1
	for _, class := range queries {
		statements, requests, err := statementsOf(class, next)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.classes = append(s.classes, statements)
		next += len(requests)
		_ = rows.WriteAll(requests)
	}
	script.WriteString("\\.\n" + postgresIndexes)
	if _, err := s.Run(ctx, script.String()); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

const pgbenchConnections = 8

// rate runs pgbench, which counts in seconds, with a script for each statement of the class.
func (s *postgres) rate(ctx context.Context, class int, window time.Duration) (float64, error) {
	arguments := slices.Concat(compare.OnLoadCore, []string{filepath.Join(s.Programs, "pgbench"), "-n", "-M", "prepared", "-c", strconv.Itoa(pgbenchConnections), "-j", "1",
		"-T", fmt.Sprint(math.Ceil(window.Seconds())), "-h", s.Dir, "-U", "postgres", "postgres"})
	for i, statement := range s.classes[class] {
		file := filepath.Join(s.Dir, fmt.Sprintf("class-%d-%d.sql", class, i))
		script := fmt.Sprintf("\\set id random(%d, %d)\n%s;\n", statement.low, statement.high, statement.where("= :id"))
		if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
			return 0, err
		}
		arguments = append(arguments, "-f", fmt.Sprintf("%s@%d", file, statement.high-statement.low+1))
	}
	said, err := stage.Output(stage.Command(ctx, nil, arguments...))
	if err != nil {
		return 0, err
	}
	return parsePgbench(said)
}

var (
	pgbenchRate   = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	pgbenchFailed = regexp.MustCompile(`(?m)^number of failed transactions: ([1-9].*)`)
)

func parsePgbench(said string) (rate float64, err error) {
	if failed := pgbenchFailed.FindStringSubmatch(said); failed != nil {
		return 0, fmt.Errorf("pgbench: failed transactions: %s", failed[1])
	}
	found := pgbenchRate.FindStringSubmatch(said)
	if found == nil {
		return 0, fmt.Errorf("pgbench did not report a rate: %s", stage.LastLines(said))
	}
	return strconv.ParseFloat(found[1], 64)
}
