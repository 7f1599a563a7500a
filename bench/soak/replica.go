package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"

	"pubd/bench/stage"
)

// A replica is a pubd of its own, on addresses of its own.
type replica struct {
	*stage.Process
	api, admin string
	data       string // the file that it reads
}

// patience is how long anything may take that takes seconds when all is well.
const patience = time.Minute

// prepare gives a replica an edition and addresses, without starting it.
func (b *bed) prepare(name, snapshot string) (r *replica, err error) {
	r = &replica{data: b.path(name + ".csv")}
	if err := install(snapshot, r.data); err != nil {
		return nil, err
	}
	for _, address := range []*string{&r.api, &r.admin} {
		if *address, err = stage.FreeAddress(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// serve starts a replica of an edition and waits until it is ready. It has the demo key; flags come after its own.
func (b *bed) serve(ctx context.Context, name, snapshot string, flags ...string) (*replica, error) {
	r, err := b.prepare(name, snapshot)
	if err != nil {
		return nil, err
	}
	return r, b.start(ctx, r, flags...)
}

// start starts a replica that has a file and addresses, or one that has ended, and waits until it is ready.
func (b *bed) start(ctx context.Context, r *replica, flags ...string) error {
	return b.startUnder(ctx, nil, r, flags...)
}

// startUnder is start for a program that another sets limits for and then becomes.
func (b *bed) startUnder(ctx context.Context, limiter []string, r *replica, flags ...string) error {
	command := append(limiter, b.program, "serve", "--data", r.data, "--listen", r.api, "--admin", r.admin, "--drain-delay", "0s", "--pprof")
	process, err := stage.Start(ctx, stage.Command(ctx, nil, append(command, flags...)...), syscall.SIGTERM,
		stage.Answering("http://"+r.admin+"/readyz"))
	if err == nil {
		r.Process = process
	}
	return err
}

// ready is what /readyz says.
type ready struct {
	Snapshot   string
	LastReload string `json:"last_reload"`
}

func (r *replica) ready(ctx context.Context) (status int, said ready, err error) {
	status, body, err := get(ctx, "http://"+r.admin+"/readyz", "")
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	return status, said, err
}

// reload installs a snapshot, signals and waits until the replica serves it.
func (r *replica) reload(ctx context.Context, e *edition) error {
	if err := install(e.file, r.data); err != nil {
		return err
	}
	if err := r.Signal(syscall.SIGHUP); err != nil {
		return err
	}
	return r.awaitSnapshot(ctx, e.id)
}

func (r *replica) awaitSnapshot(ctx context.Context, id string) error {
	for deadline := time.Now().Add(patience); ; {
		_, said, err := r.ready(ctx)
		switch {
		case err != nil:
			return err
		case said.Snapshot == id:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("still serves %s, not %s: %s", said.Snapshot, id, said.LastReload)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

var web = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 1}, Timeout: patience}

// get gets a URL, with a key or without.
func get(ctx context.Context, url, key string) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	if key != "" {
		request.Header.Set("x-api-key", key)
	}
	answer, err := web.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}
