package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/cespare/xxhash/v2"

	"pubd/bench"
)

// demo is the key of a replica without a key file.
const demo = "demo"

// resource is the path of the API.
const resource = bench.Pubs

// An edition is a snapshot with its right answers.
type edition struct {
	file    string
	id      string
	answers []expected // by query
	bytes   int        // of all answers together
}

type expected struct {
	status int
	digest uint64
}

// edition gives a snapshot with its answers, which a replica that does nothing else gave.
func (b *bed) edition(ctx context.Context, file string) (*edition, error) {
	b.found.mutex.Lock()
	defer b.found.mutex.Unlock()
	if e := b.found.editions[file]; e != nil {
		return e, nil
	}
	r, err := b.serve(ctx, "reference", file)
	if err != nil {
		return nil, err
	}
	defer r.Stop()
	e, err := b.answersOf(ctx, r, file)
	if err == nil {
		b.found.editions[file] = e
	}
	return e, err
}

// answersOf is the edition that a replica of a file serves, with its answers.
func (b *bed) answersOf(ctx context.Context, r *replica, file string) (*edition, error) {
	_, said, err := r.ready(ctx)
	if err != nil {
		return nil, err
	}
	e := &edition{file: file, id: said.Snapshot}
	for _, query := range b.queries {
		status, body, err := get(ctx, "http://"+r.api+resource+"?"+query, demo)
		if err != nil {
			return nil, err
		}
		if status != http.StatusOK && status != http.StatusNotFound {
			return nil, fmt.Errorf("?%s: status %d: %.200s", query, status, body)
		}
		e.answers = append(e.answers, expected{status, xxhash.Sum64(body)})
		e.bytes += len(body)
	}
	return e, nil
}
