package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/loader"
)

// startPlain serves the directory the plain way with this program itself.
func startPlain(ctx context.Context, dir, data string, wrk *wrk, core int) (*contender, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return nil, err
	}
	p, err := stage.Start(ctx, stage.Pinned(ctx, core, []string{"GOMAXPROCS=1"}, self, "plain", "--data", data, "--listen", address,
		"--index", filepath.Join(dir, "plain.bleve")), syscall.SIGTERM, stage.Listening(address))
	if err != nil {
		return nil, err
	}
	return &contender{name: "plain Go", version: stage.ModuleVersion("github.com/blevesearch/bleve/v2"), note: fmt.Sprintf(
		"is net/http, bleve.Index.Search, encoding/json at each request and a scan of all distances, over %d connections; "+
			"it checks no key", slowConnections),
		rate: served(wrk, p, address, slowConnections, toAPI), pubs: counted(address, ""), process: p}, nil
}

// plainCommand is the service as most would write it first: net/http, bleve.Index.Search, encoding/json at each request
// and a scan of all pubs for a distance.
type plainCommand struct {
	Data   string `required:"" placeholder:"FILE" help:"The snapshot."`
	Listen string `required:"" placeholder:"ADDR" help:"Where to listen, once the index is built."`
	Index  string `required:"" placeholder:"DIR" help:"Where to build the index."`
}

// Run serves until it is killed.
func (c *plainCommand) Run() error {
	loaded, err := loader.LoadFile(c.Data, loader.Options{})
	if err != nil {
		return err
	}
	s, err := newPlainService(&loaded.Directory, c.Index)
	if err != nil {
		return fmt.Errorf("index of %s: %w", c.Data, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+bench.Pubs+"{$}", s.serve)
	return http.ListenAndServe(c.Listen, mux)
}
