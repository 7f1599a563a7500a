package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"pubd/bench/stage"
	"pubd/index"
)

// postgres is PostgreSQL with trigrams (pg_trgm), reached through a socket in its own directory.
type postgres struct {
	*stage.Process
	programs, dir string
}

func startPostgres(ctx context.Context, dir string, pubs []index.Pub) (*postgres, error) {
	programs, err := stage.NewestPostgres()
	if err != nil {
		return nil, err
	}
	s := &postgres{programs: programs, dir: filepath.Join(dir, "postgres")}
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
	command := func(program string, arguments ...string) *exec.Cmd {
		cmd := stage.Command(ctx, nil, append([]string{filepath.Join(programs, program)}, arguments...)...)
		cmd.Dir, cmd.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: owner}
		return cmd
	}
	cluster := filepath.Join(s.dir, "cluster")
	if _, err := stage.Output(command("initdb", "-D", cluster, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")); err != nil {
		return nil, err
	}
	server := command("postgres", "-D", cluster, "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "autovacuum=off", "-c", "jit=off")
	if s.Process, err = stage.Start(ctx, server, syscall.SIGINT, func() bool {
		_, err := s.psql(ctx, "SELECT 1;")
		return err == nil
	}); err != nil {
		return nil, err
	}
	var script strings.Builder
	script.WriteString(`CREATE EXTENSION pg_trgm;
CREATE TABLE pubs (uid text, name text, placed text, lat float8, lng float8);
COPY pubs FROM STDIN (FORMAT csv);
`)
	rows := csv.NewWriter(&script)
	for i := range pubs {
		pub, degrees := &pubs[i], [2]string{}
		if !math.IsNaN(pub.Latitude) {
			degrees = [2]string{fmt.Sprint(pub.Latitude), fmt.Sprint(pub.Longitude)}
		}
		_ = rows.Write([]string{pub.UID, pub.Name, pub.Name + " " + pub.Location, degrees[0], degrees[1]})
	}
	rows.Flush()
	script.WriteString("\\.\nCREATE INDEX ON pubs USING gin (placed gin_trgm_ops);\nCREATE INDEX ON pubs (lat);\nVACUUM ANALYZE;\n")
	if _, err := s.psql(ctx, script.String()); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// psql runs a script and returns what it selects.
func (s *postgres) psql(ctx context.Context, script string) (string, error) {
	cmd := stage.Command(ctx, nil, filepath.Join(s.programs, "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", s.dir, "-U", "postgres")
	cmd.Stdin = strings.NewReader(script)
	return stage.Output(cmd)
}

// find asks for the most similar names that are similar at all, with places outside of a circle.
func (s *postgres) find(ctx context.Context, w way, questions []question) (sum shares, err error) {
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
			w.radius/kilometresOfDegree)
	}
	fmt.Fprintf(&script, `\.
SELECT id, uid FROM asked a, LATERAL (SELECT uid, similarity(p.%[1]s, a.text) AS likeness FROM pubs p WHERE p.%[1]s %% a.text AND %s
ORDER BY 2 DESC, 1 LIMIT %d) found ORDER BY id, likeness DESC, uid;
`, column, where, first)
	said, err := s.psql(ctx, script.String())
	if err != nil {
		return shares{}, err
	}
	found := make([][]string, len(questions))
	for line := range strings.Lines(said) {
		number, uid, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		id, err := strconv.Atoi(number)
		if err != nil || id >= len(found) {
			return shares{}, fmt.Errorf("psql: unexpected line %q", line)
		}
		found[id] = append(found[id], uid)
	}
	for i, q := range questions {
		sum.count(found[i], q.uid)
	}
	return sum, nil
}
