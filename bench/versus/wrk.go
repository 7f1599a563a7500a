package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pubd/bench/stage"
)

//go:embed load.lua
var loadScript []byte

// Connections that are kept alive. A slow server has few: when time is up, what is under way on each does not count.
const (
	connections     = 32
	slowConnections = 4
)

// A wrk sends requests from one core.
type wrk struct {
	program, script string
	core            int
	secret          string // of the key that every request carries, to whatever server
}

func newWrk(dir string, core int) (*wrk, error) {
	program, err := stage.Tool("wrk", "wrk")
	if err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "load.lua")
	return &wrk{program: program, script: script, core: core}, os.WriteFile(script, loadScript, 0o644)
}

// A load is what wrk did.
type load struct {
	Requests     int64
	Microseconds int64
	Connect      int64
	Read         int64
	Write        int64
	Status       int64
	Timeout      int64
}

func (l *load) seconds() float64 { return float64(l.Microseconds) / 1e6 }

func (l *load) rate() float64 { return float64(l.Requests) / l.seconds() }

// send sends the requests whose targets a file lists, over and over. An answer that is no success or is missing is an
// error: a rate that has such is worth nothing.
func (w *wrk) send(ctx context.Context, address, targets string, connections, seconds int) (load, error) {
	said, err := stage.Output(stage.Pinned(ctx, w.core, nil, w.program, "-t1", fmt.Sprint("-c", connections), fmt.Sprintf("-d%ds", seconds),
		"--timeout", "60s", "-H", "x-api-key: "+w.secret, "-s", w.script, "http://"+address, "--", targets))
	if err != nil {
		return load{}, err
	}
	return parseLoad(said)
}

// parseLoad reads what the script adds to wrk's report.
func parseLoad(said string) (load, error) {
	_, result, found := strings.Cut(said, "\nversus ")
	result, _, _ = strings.Cut(result, "\n")
	var l load
	if err := json.Unmarshal([]byte(result), &l); !found || err != nil {
		return load{}, fmt.Errorf("wrk did not report as its script asks: %s", stage.LastLines(said))
	}
	switch {
	case l.Status > 0:
		return l, fmt.Errorf("wrk: %d of %d answers were errors: send one with curl to see why", l.Status, l.Requests)
	case l.Connect+l.Read+l.Write+l.Timeout > 0:
		return l, fmt.Errorf("wrk: connections failed: %d connecting, %d reading, %d writing, %d timeouts", l.Connect, l.Read, l.Write, l.Timeout)
	case l.Requests == 0 || l.Microseconds == 0:
		return l, errors.New("wrk: no request was answered: raise --seconds")
	}
	return l, nil
}
