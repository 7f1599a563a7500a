package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/httpapi/client"
)

// pagings are queries for All, and how many pubs they find.
var pagings = []struct {
	query client.Query
	want  int
}{
	{client.Query{Search: client.Every}, data.SamplePubs},
	{client.Query{Search: client.Every, Amount: 99, Sort: client.SortTotal, Order: client.Descending}, data.SamplePubs},
	{client.Query{Search: client.Every, Page: 20}, 100},
	{client.Query{Search: client.Every, Page: 21}, 0},
	{client.Query{Search: "red lion", Amount: 5, Rated: true}, 12},
	{client.Query{Search: client.Every, Sort: client.SortRandom, Seed: new(int64(7))}, data.SamplePubs},
	{client.Query{Search: client.Every, Center: &client.Point{Lat: 51.5136, Lng: -.1319}, Distance: new(client.Kilometres(1)), Amount: 4}, 15},
	{client.Query{UIDs: []string{"28cnk9", "nobody"}}, 1},
	{client.Query{Search: "nothing like it at all", Strict: true}, 0},
}

// Each iteration of a sequence yields every pub once.
func TestAll(t *testing.T) {
	for _, p := range pagings {
		sequence := sample().All(t.Context(), p.query)
		for range 2 {
			seen := map[string]bool{}
			for pub, err := range sequence {
				testkit.StopIf(t, err != nil || seen[pub.UID],
					"%s: got %q twice, or error %v", text(p.query), pub.UID, err)
				seen[pub.UID] = true
			}
			testkit.Equal(t, text(p.query), len(seen), p.want)
		}
	}
}

// A sequence uses the snapshot of its first page for as long as the server keeps it. Then it yields an error and
// begins again.
func TestAllAcrossSnapshots(t *testing.T) {
	for installed, want := range map[int]int{1: 50, 2: 10 + 30} {
		address, service := start(nil)
		last := install(service, sampleOf(50))
		got, failures := 0, 0
		for pub, err := range clientOf(address).All(t.Context(), client.Query{Search: client.Every, Amount: 10}) {
			if err != nil {
				failures++
				if got := refusal(err); !errors.Is(err, client.ErrBeganAgain) || got.Code != client.SnapshotGone || got.Status != 410 {
					t.Errorf("got %v, want %s", err, client.SnapshotGone)
				}
				continue
			}
			testkit.Equal(t, "pub without UID", pub.UID == "", false)
			if got++; got == 5 {
				for n := range installed {
					last = install(service, sampleOf(20+10*n), last)
				}
			}
		}
		testkit.Equal(t, fmt.Sprint("pubs with new snapshots: ", installed), got, want)
		testkit.Equal(t, fmt.Sprint("errors with new snapshots: ", installed), failures, installed-1)
	}
}

func TestAllCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	got := 0
	for _, err := range sample().All(ctx, client.Query{Search: client.Every}) {
		if last = err; err == nil {
			got++
			cancel()
		}
	}
	testkit.FailIf(t, got != 100 || !errors.Is(last, context.Canceled), "got %d pubs and %v, want one page and %v", got, last, context.Canceled)
}
