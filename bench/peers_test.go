package bench_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/cespare/xxhash/v2"
	"github.com/gomodule/redigo/redis"
	"github.com/jackc/pgx/v5"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// The page sizes of pubd.
const (
	pageSize   = 20
	maxUnpaged = 1000
)

// maxFiles is more than all classes together have requests.
const maxFiles = 40_000

func queryOf(target string) url.Values {
	_, text, _ := strings.Cut(target, "?")
	values, err := url.ParseQuery(text)
	if err != nil {
		panic(err)
	}
	return values
}

func number(q url.Values, name string) float64 {
	value, _ := strconv.ParseFloat(q.Get(name), 64)
	return value
}

// page returns how many pubs a request skips, and how many it gets.
func page(q url.Values) (skipped, amount int) {
	amount = int(number(q, "amount"))
	switch {
	case amount > 0:
	case q.Has("lat"):
		amount = maxUnpaged
	default:
		amount = pageSize
	}
	return max(0, int(number(q, "page"))-1) * amount, amount
}

// startNginx starts an nginx with one worker and all files open. It sends the bodies of pubd.
func startNginx(s *scene) (*server, error) {
	if _, err := stage.Tool("nginx", "nginx"); err != nil {
		return nil, err
	}
	bodies := filepath.Join(s.dir, "bodies")
	if err := os.MkdirAll(bodies, 0o755); err != nil {
		return nil, err
	}
	config := stage.NginxConfig(1, maxFiles, fmt.Sprintf("sendfile on; keepalive_timeout 1h; open_file_cache max=%d inactive=1d; "+
		"open_file_cache_valid 1d; server { listen {address}; root %s; }", maxFiles, bodies))
	process, address, err := stage.StartProxy(context.Background(), "nginx", s.dir, config, s.before...)
	if err != nil {
		return nil, err
	}
	nginx := overHTTP("nginx", process, address, `"UID":`)
	request := nginx.request
	nginx.request = func(target string) (any, error) {
		c := (<-s.pubd.idle).(*httpConn)
		defer func() { s.pubd.idle <- c }()
		question, _ := s.pubd.request(target)
		answer, err := c.Send(question)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%016x", answer.Digest)
		if err := os.WriteFile(filepath.Join(bodies, name), c.Body(), 0o644); err != nil {
			return nil, err
		}
		return request("/" + name)
	}
	return nginx, nil
}

// startRedis starts a Redis that has each pub as JSON by its UID, and the points in a geospatial index.
func startRedis(s *scene) (*server, error) {
	program, err := stage.Tool("redis-server", "redis-server")
	if err != nil {
		return nil, err
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	command := append(s.before, program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", s.dir)
	process, err := stage.Start(context.Background(), stage.Command(context.Background(), command...), syscall.SIGTERM, stage.Listening(address))
	if err != nil {
		return nil, err
	}
	dial := func() (conn, error) {
		c, err := redis.Dial("tcp", address)
		return &redisConn{conn: c}, err
	}
	return &server{name: "Redis", process: process, dial: dial, request: redisRequest}, loadRedis(s, address)
}

func loadRedis(s *scene, address string) error {
	c, err := redis.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	for i := range s.directory.Pubs {
		pub := &s.directory.Pubs[i]
		body, err := json.Marshal(membersOf(&s.directory, pub))
		if err != nil {
			return err
		}
		_ = c.Send("SET", pub.UID, body)
		if !math.IsNaN(pub.Latitude) {
			_ = c.Send("GEOADD", "points", pub.Longitude, pub.Latitude, pub.UID)
		}
	}
	_, err = c.Do("") // sends the rest and reads all replies
	return err
}

// redisRequest returns a command for a lookup or a circle, whose answer has UIDs and distances only.
func redisRequest(target string) (any, error) {
	switch q := queryOf(target); {
	case q.Has("pubid"):
		return []any{"GET", q.Get("pubid")}, nil
	case q.Has("lat") && q.Get("search") == "*":
		_, amount := page(q)
		return []any{"GEOSEARCH", "points", "FROMLONLAT", q.Get("lng"), q.Get("lat"), "BYRADIUS", q.Get("distance"), "km", "ASC", "COUNT", amount, "WITHDIST"}, nil
	}
	return nil, nil
}

type redisConn struct {
	conn redis.Conn
	pubs int
}

func (c *redisConn) Close()    { _ = c.conn.Close() }
func (c *redisConn) Pubs() int { return c.pubs }

func (c *redisConn) Send(request any) (load.Answer, error) {
	command := request.([]any)
	reply, err := c.conn.Do(command[0].(string), command[1:]...)
	digest := xxhash.New()
	switch reply := reply.(type) {
	case []byte:
		c.pubs = 1
		_, _ = digest.Write(reply)
	case []any:
		c.pubs = len(reply)
		for _, pub := range reply {
			for _, member := range pub.([]any) {
				_, _ = digest.Write(member.([]byte))
			}
		}
	default:
		err = fmt.Errorf("%v: got %v, %w", command, reply, err)
	}
	return load.Answer{Digest: digest.Sum64()}, err
}

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

// startPostgres starts a PostgreSQL with the pubs, whose clients prepare each kind of statement once. An answer has the
// columns of the pubs.
func startPostgres(s *scene) (*server, error) {
	number := func(value float64) string {
		if math.IsNaN(value) {
			return ""
		}
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	var rows strings.Builder
	w := csv.NewWriter(&rows)
	for i := range s.directory.Pubs {
		pub := &s.directory.Pubs[i]
		row := []string{pub.UID, pub.Name, pub.Location, number(pub.Latitude), number(pub.Longitude), strconv.FormatInt(pub.ReviewCount, 10)}
		for _, rating := range pub.Ratings {
			row = append(row, number(rating))
		}
		_ = w.Write(append(row, strconv.FormatBool(s.directory.IsRated(pub))))
	}
	w.Flush()
	database, err := stage.StartPostgres(context.Background(), s.before...)
	if err != nil {
		return nil, err
	}
	script := fmt.Sprintf(postgresTable, strings.Join(bench.Metrics, " float8, "), strings.Join(bench.Metrics, ", "), rows.String())
	if _, err := database.Run(context.Background(), script); err != nil {
		database.Close()
		return nil, err
	}
	dial := func() (conn, error) {
		c, err := pgx.Connect(context.Background(), "host="+database.Dir+" user=postgres database=postgres")
		return &postgresConn{conn: c}, err
	}
	return &server{name: "PostgreSQL", process: database.Process, dir: database.Dir, dial: dial, request: statementOf}, nil
}

// A statement is SQL with its arguments.
type statement struct {
	sql       string
	arguments []any
}

// statementOf returns the statement of a lookup or search, but not by relevance, of what is open or with facets. All words
// must be in the name and location, as in pubd; a trigram index finds them.
func statementOf(target string) (any, error) {
	var s statement
	argument := func(value any) string {
		s.arguments = append(s.arguments, value)
		return fmt.Sprintf("$%d", len(s.arguments))
	}
	q := queryOf(target)
	if q.Get("sort") == "relevance" || q.Has("open") || q.Has("facets") {
		return nil, nil
	}
	conditions, order := []string{"true"}, "name"
	if q.Has("pubid") {
		conditions = append(conditions, "uid = "+argument(q.Get("pubid")))
	}
	if text := q.Get("search"); text != "*" {
		for _, word := range strings.Fields(text) {
			conditions = append(conditions, "placed ILIKE "+argument("%"+strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word)+"%"))
		}
	}
	if q.Has("rated") {
		conditions = append(conditions, "rated")
	}
	if q.Has("lat") {
		at := fmt.Sprintf("ST_MakePoint(%s, %s)::geography", argument(number(q, "lng")), argument(number(q, "lat")))
		conditions = append(conditions, fmt.Sprintf("ST_DWithin(at, %s, %s)", at, argument(1000*number(q, "distance"))))
		order = "at <-> " + at
	}
	if sort := q.Get("sort"); sort != "" {
		order = sort
	}
	if q.Get("order") == "desc" {
		order += " DESC NULLS LAST"
	}
	order += ", uid" // the same answer every time
	skipped, amount := page(q)
	s.sql = fmt.Sprintf("SELECT uid, name, location, lat, lng, review_count, %s FROM pubs WHERE %s ORDER BY %s LIMIT %s OFFSET %s",
		strings.Join(bench.Metrics, ", "), strings.Join(conditions, " AND "), order, argument(amount), argument(skipped))
	return s, nil
}

type postgresConn struct {
	conn *pgx.Conn
	pubs int
}

func (c *postgresConn) Close()    { _ = c.conn.Close(context.Background()) }
func (c *postgresConn) Pubs() int { return c.pubs }

func (c *postgresConn) Send(request any) (load.Answer, error) {
	s := request.(statement)
	rows, err := c.conn.Query(context.Background(), s.sql, s.arguments...)
	if err != nil {
		return load.Answer{}, err
	}
	defer rows.Close()
	digest := xxhash.New()
	for c.pubs = 0; rows.Next(); c.pubs++ {
		for _, value := range rows.RawValues() {
			_, _ = digest.Write(value)
		}
	}
	return load.Answer{Digest: digest.Sum64()}, rows.Err()
}

// membersOf returns the members of a pub.
func membersOf(directory *corpus.Directory, pub *schema.Pub) map[string]any {
	members := map[string]any{"UID": pub.UID, "name": pub.Name, "location": pub.Location, "review_count": pub.ReviewCount}
	for metric, rating := range pub.Ratings {
		if !math.IsNaN(rating) {
			members[schema.Metric(metric).String()] = rating
		}
	}
	if !math.IsNaN(pub.Latitude) {
		members["at"] = map[string]any{"lat": pub.Latitude, "lon": pub.Longitude}
	}
	if directory.IsRated(pub) {
		members["rated"] = true
	}
	return members
}
