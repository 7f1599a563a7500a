package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"

	"pubd/bench/stage"
)

// A control is nginx, which answers every request with a file as long as the answers of an edition are on average. What
// takes long there is due to the machine, and to the load that shares it.
type control struct {
	*stage.Process
	address string
	edition *edition
}

const controlConfig = `
	keepalive_requests 1000000000;
	server {
		listen %[2]s;
		root %[1]s;
		location / { add_header X-Snapshot control; try_files /answer =404; }
	}
`

func (b *bed) startControl(ctx context.Context, r *replica, e *edition) (*control, error) {
	address, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	dir := b.path("control")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	answer := bytes.Repeat([]byte{'a'}, e.bytes/len(e.answers))
	if err := os.WriteFile(filepath.Join(dir, "answer"), answer, 0o600); err != nil {
		return nil, err
	}
	c := &control{address: address, edition: &edition{id: "control"}}
	for range e.answers {
		c.edition.answers = append(c.edition.answers, expected{http.StatusOK, xxhash.Sum64(answer)})
	}
	c.Process, err = b.nginx(ctx, dir, 2, r, address, fmt.Sprintf(controlConfig, dir, address))
	return c, err
}

// load is one as a replica gets.
func (c *control) load(b *bed, rate float64, lasts time.Duration) *load {
	return b.load(&replica{api: c.address}, rate, lasts, c.edition)
}
