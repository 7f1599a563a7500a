package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

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

// postgresServer is PostgreSQL with PostGIS and trigrams, reached through a socket in its own directory.
type postgresServer struct {
	*stage.Process
	programs, dir string
	loadCore      int
	classes       map[int][]statement
}

// startPostgres loads the pubs and the requests of all classes into a new database, served on one core.
func startPostgres(ctx context.Context, dir string, directory *index.Directory, workloads map[int]*workload, core, loadCore int) (*contender, error) {
	programs, err := stage.NewestPostgres()
	if err != nil {
		return nil, err
	}
	s := &postgresServer{programs: programs, dir: filepath.Join(dir, "postgres"), loadCore: loadCore, classes: map[int][]statement{}}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // lets the owner through
		return nil, err
	}
	owner, err := stage.PostgresOwner(s.dir)
	if err != nil {
		return nil, err
	}
	cluster := filepath.Join(s.dir, "cluster")
	initdb := stage.Pinned(ctx, core, nil, filepath.Join(programs, "initdb"), "-D", cluster, "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: owner}
	if _, err := stage.Output(initdb); err != nil {
		return nil, err
	}
	arguments := []string{filepath.Join(programs, "postgres"), "-D", cluster, "-k", s.dir}
	for _, setting := range []string{"listen_addresses=", "shared_buffers=512MB", "work_mem=32MB", "effective_cache_size=2GB",
		"random_page_cost=1.1", "jit=off", "max_parallel_workers_per_gather=0", "autovacuum=off", "fsync=off", "max_connections=20"} {
		arguments = append(arguments, "-c", setting)
	}
	server := stage.Pinned(ctx, core, nil, arguments...)
	server.Dir, server.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: owner}
	if s.Process, err = stage.Start(ctx, server, syscall.SIGINT, func() bool {
		_, err := s.psql(ctx, "SELECT 1;")
		return err == nil
	}); err != nil {
		return nil, err
	}
	if err := s.load(ctx, directory, workloads); err != nil {
		s.Stop()
		return nil, err
	}
	return &contender{name: "PostgreSQL", version: stage.VersionOf(filepath.Join(programs, "postgres"), "--version"),
		note: fmt.Sprintf("gives rows, asked by pgbench through a socket with prepared statements over %d connections; a trigram index "+
			"finds the words of a search in their order, by their beginnings, and nothing is relaxed", pgbenchConnections),
		rate: s.rate, pubs: s.pubs, process: s.Process}, nil
}

// psql runs a script and gives what it selects.
func (s *postgresServer) psql(ctx context.Context, script string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(s.programs, "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", s.dir, "-U", "postgres")
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	cmd.Stdin = strings.NewReader(script)
	return stage.Output(cmd)
}

func (s *postgresServer) load(ctx context.Context, directory *index.Directory, workloads map[int]*workload) error {
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
	for class, w := range workloads {
		statements, requests, err := statementsOf(w.queries, next)
		if err != nil {
			return err
		}
		s.classes[class] = statements
		next += len(requests)
		_ = rows.WriteAll(requests)
	}
	script.WriteString("\\.\n" + postgresIndexes)
	_, err := s.psql(ctx, script.String())
	return err
}

const pgbenchConnections = 8

// rate runs pgbench, with a script for each statement of the class.
func (s *postgresServer) rate(ctx context.Context, class int, _ *workload, seconds int) (measurement, error) {
	arguments := []string{filepath.Join(s.programs, "pgbench"), "-n", "-M", "prepared", "-c", strconv.Itoa(pgbenchConnections), "-j", "1",
		"-T", strconv.Itoa(seconds), "-h", s.dir, "-U", "postgres", "postgres"}
	for i, statement := range s.classes[class] {
		file := filepath.Join(s.dir, fmt.Sprintf("class-%d-%d.sql", class, i))
		script := fmt.Sprintf("\\set id random(%d, %d)\n%s;\n", statement.low, statement.high, statement.where("= :id"))
		if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
			return measurement{}, err
		}
		arguments = append(arguments, "-f", fmt.Sprintf("%s@%d", file, statement.high-statement.low+1))
	}
	said, err := stage.Output(stage.Pinned(ctx, s.loadCore, nil, arguments...))
	if err != nil {
		return measurement{}, err
	}
	rate, err := parsePgbench(said)
	return measurement{rate, math.NaN()}, err
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

// pubs takes of each statement the share of the sample that it has of the requests.
func (s *postgresServer) pubs(ctx context.Context, class int, w *workload) (float64, error) {
	sum, n, step := 0, 0, w.sampleStep()
	for _, statement := range s.classes[class] {
		said, err := s.psql(ctx, fmt.Sprintf("SELECT count(*) FROM (%s) a;",
			statement.where(fmt.Sprintf("BETWEEN %d AND %d AND (r.id - %d) %% %d = 0", statement.low, statement.high, statement.low, step))))
		if err != nil {
			return 0, err
		}
		count, err := strconv.Atoi(strings.TrimSpace(said))
		if err != nil {
			return 0, err
		}
		sum, n = sum+count, n+1+(statement.high-statement.low)/step
	}
	return float64(sum) / float64(n), nil
}
