package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"net"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"pubd/bench/stage"
	"pubd/index"
)

const redisPackages = "redis-server"

// redisServer is Redis with the places of all pubs in one sorted set, under numbers of 12 digits: those that
// redis-benchmark can draw. It answers with these numbers and distances, not with pubs, and knows no words.
type redisServer struct {
	*stage.Process
	client, benchmark string
	host, port        string
	places            int
	core              int
	rates             map[int]float64 // the last by class
}

// startRedis loads the pubs into Redis on one core; another is the load's.
func startRedis(ctx context.Context, dir string, pubs []index.Pub, core, loadCore int) (*contender, error) {
	r := &redisServer{core: loadCore, rates: map[int]float64{}}
	var server string
	for name, path := range map[string]*string{"redis-server": &server, "redis-cli": &r.client, "redis-benchmark": &r.benchmark} {
		var err error
		if *path, err = stage.Tool(name, redisPackages); err != nil {
			return nil, err
		}
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	if r.host, r.port, err = net.SplitHostPort(address); err != nil {
		return nil, err
	}
	if r.Process, err = stage.Start(ctx, stage.Pinned(ctx, core, nil, server, "--bind", r.host, "--port", r.port, "--dir", dir,
		"--save", "", "--appendonly", "no"), syscall.SIGTERM, stage.Listening(address)); err != nil {
		return nil, err
	}
	if err := r.load(ctx, pubs); err != nil {
		r.Stop()
		return nil, err
	}
	return &contender{name: "Redis", version: stage.VersionOf(server, "--version"), rate: r.rate, pubs: r.pubs, process: r.Process,
		note: "gives the numbers of pubs and their distances, without the pubs and without a total, around pubs themselves"}, nil
}

// load adds the places. Redis has none further than 85° from the equator.
func (r *redisServer) load(ctx context.Context, pubs []index.Pub) error {
	var script strings.Builder
	for _, pub := range pubs {
		if math.Abs(pub.Latitude) <= 85 {
			fmt.Fprintf(&script, "GEOADD pubs %v %v %012d\r\n", pub.Longitude, pub.Latitude, r.places)
			r.places++
		}
	}
	said, err := r.command(ctx, script.String(), "--pipe")
	if err == nil && !strings.Contains(said, fmt.Sprintf("errors: 0, replies: %d", r.places)) {
		err = fmt.Errorf("redis-cli --pipe: %s", stage.LastLines(said))
	}
	return err
}

func (r *redisServer) command(ctx context.Context, input string, arguments ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.client, append([]string{"-h", r.host, "-p", r.port}, arguments...)...)
	cmd.Stdin = strings.NewReader(input)
	return stage.Output(cmd)
}

// geosearch is the command for a class, around a pub; nil where Redis has none.
func geosearch(w *workload, member string) []string {
	query, err := url.ParseQuery(w.queries[0])
	if err != nil || !query.Has("lat") || query.Get("search") != "*" {
		return nil
	}
	return []string{"GEOSEARCH", "pubs", "FROMMEMBER", member, "BYRADIUS", query.Get("distance"), "km", "ASC",
		"COUNT", strconv.Itoa(integerOr(query.Get("amount"), 1000))}
}

// firstRequests are those that tell how many fill a round: redis-benchmark counts requests, not seconds.
const firstRequests = 5000

func (r *redisServer) rate(ctx context.Context, class int, w *workload, seconds int) (measurement, error) {
	command := geosearch(w, "__rand_int__")
	if command == nil {
		return cannot, nil
	}
	measure := func(requests int) (float64, error) {
		said, err := stage.Output(stage.Pinned(ctx, r.core, nil, append([]string{r.benchmark, "-h", r.host, "-p", r.port, "-c", strconv.Itoa(connections),
			"-n", strconv.Itoa(requests), "-r", strconv.Itoa(r.places), "--csv"}, append(command, "WITHDIST")...)...))
		if err != nil {
			return 0, err
		}
		return parseRedisBenchmark(said)
	}
	if r.rates[class] == 0 {
		first, err := measure(firstRequests)
		if err != nil {
			return measurement{}, err
		}
		r.rates[class] = first
	}
	rate, err := measure(int(r.rates[class]*float64(seconds)) + 1)
	r.rates[class] = rate
	return measurement{rate, math.NaN()}, err
}

// parseRedisBenchmark reads a table with a line of headings and one of figures.
func parseRedisBenchmark(said string) (rate float64, err error) {
	lines := csv.NewReader(strings.NewReader(said))
	lines.FieldsPerRecord = -1
	rows, err := lines.ReadAll()
	if err != nil || len(rows) < 2 || len(rows[1]) < 2 {
		return 0, fmt.Errorf("redis-benchmark did not report as --csv does: %s", stage.LastLines(said))
	}
	return strconv.ParseFloat(rows[1][1], 64)
}

func (r *redisServer) pubs(ctx context.Context, _ int, w *workload) (float64, error) {
	if geosearch(w, "") == nil {
		return math.NaN(), nil
	}
	var script strings.Builder
	n := min(sampleSize, r.places)
	for i := range n {
		fmt.Fprintln(&script, strings.Join(geosearch(w, fmt.Sprintf("%012d", i*r.places/n)), " "))
	}
	said, err := r.command(ctx, script.String())
	if err == nil && strings.Contains(said, "ERR") {
		err = fmt.Errorf("redis-cli: %s", stage.LastLines(said))
	}
	return float64(strings.Count(said, "\n")) / float64(n), err
}
