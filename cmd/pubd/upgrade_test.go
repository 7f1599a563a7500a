package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/data/lane"
	"pubd/index"
	"pubd/loader/manifest"
)

// releaseVariable returns the variable that makes a process one of a release with the format version of index files of
// this one plus a number.
func releaseVariable(later int) string {
	return fmt.Sprint(formatVariable, "=", index.FormatVersion()+later)
}

// builtHere returns the IDs of the snapshots that a replica says it has built.
func (p *process) builtHere() []string {
	p.t.Helper()
	if fleet := p.readiness(200).Fleet; fleet != nil {
		return fleet.Built
	}
	return nil
}

// A replica whose program reads another format of index files, or finds the published one damaged or gone, builds the
// snapshot from its source, also with a gazetteer, extra columns and skipped rows, and says so. With a cache, the next
// start finds it built.
func TestBuildsFromOrigin(t *testing.T) {
	t.Parallel()
	places := write(t, "places.csv", "name,latitude,longitude\nNowhere,52,-1\n")
	snapshot := write(t, "some pubs.csv", strings.Replace(pubs(20, "a"), "UID,", "beds,UID,", 1))
	snapshot = write(t, "some pubs.csv", strings.ReplaceAll(string(read(t, snapshot)), "\nu", "\n1,u")+",u,wrong\n")
	s := newSite(t)
	id := s.run(snapshot, "--places", places, "--extra", "beds", "--max-bad-rows", "1")
	published := s.read().Snapshots[0]
	stored := filepath.Join(s.dir, published.Index.Key)
	good := read(t, stored)
	cache := filepath.Join(t.TempDir(), "cache")
	for _, c := range []struct {
		name    string
		release int
		change  func()
		flags   []string
		isBuilt bool
	}{
		{"the same release", 0, func() {}, nil, false},
		{"a later release", 1, func() {}, nil, true},
		{"a later release with a cache", 1, func() {}, []string{"--cache", cache}, true},
		{"the same once more, without the source", 1, func() {
			for _, file := range published.Origin.Files {
				ok(t, os.Rename(filepath.Join(s.dir, file.Stored.Key), filepath.Join(s.dir, file.Stored.Key+".away")))
			}
		}, []string{"--cache", cache}, true},
		{"a damaged index", 0, func() {
			for _, file := range published.Origin.Files {
				ok(t, os.Rename(filepath.Join(s.dir, file.Stored.Key+".away"), filepath.Join(s.dir, file.Stored.Key)))
			}
			replace(t, stored, string(damage(good)))
		}, nil, true},
	} {
		c.change()
		command := pubd(anywhere(append([]string{"--data", s.manifest()}, c.flags...)...)...)
		command.Env = append(command.Env, releaseVariable(c.release))
		p := start(t, command)
		p.await()
		if got := p.builtHere(); slices.Contains(got, id) != c.isBuilt {
			t.Errorf("%s: built here %q, want %s: %v", c.name, got, id, c.isBuilt)
		}
		if got := p.seriesValue(`pubd_fleet_snapshots{state="built"}`); (got == 1) != c.isBuilt {
			t.Errorf("%s: metric %v", c.name, got)
		}
		if got := p.search("pubid=u7&include=extra", "demo"); !strings.Contains(got.body, `"beds":"1"`) {
			t.Errorf("%s: got %s, want a pub with beds", c.name, got.body)
		}
		if got := p.search("search=pubs+in+nowhere&amount=1", "demo"); !strings.Contains(got.body, `"total_results":20`) {
			t.Errorf("%s: got %.200s, want the 20 pubs in Nowhere", c.name, got.body)
		}
		p.stop()
	}
	for _, file := range published.Origin.Files {
		ok(t, os.WriteFile(filepath.Join(s.dir, file.Stored.Key), []byte("damaged"), 0o600))
	}
	refuse(t, exitError, "(index.s", "--data", s.manifest())
}

// Pruning removes the sources of snapshots that the manifest no longer names, and none of the others.
func TestPruneOfOrigins(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--keep", "1")
	for generation := range 3 {
		s.publish(fmt.Sprint(generation), "--activate-in", "0s")
	}
	old := time.Now().Add(-2 * pruneAge)
	for _, name := range cached(t, s.dir) {
		ok(t, os.Chtimes(filepath.Join(s.dir, name), old, old))
	}
	s.run(write(t, "pubs.csv", pubs(20, "2")), "--prune")
	count := 0
	for _, name := range cached(t, s.dir) {
		if strings.HasSuffix(name, manifest.OriginExtension) {
			count++
		}
	}
	if want := len(s.read().Snapshots); count != want {
		t.Errorf("%d sources are left, want those of %d snapshots", count, want)
	}
}

// Three replicas behind HAProxy are upgraded to a release with another format of index files, one after the other, and
// back, and a snapshot is published by each release, while clients page through snapshots: no request fails.
func TestUpgrade(t *testing.T) {
	lane.Programs(t, "haproxy")
	s := newSite(t)
	s.publish("a")
	var replicas []*process
	var servers []*stage.Server
	upgrade := func(i, to int) {
		if old := replicas[i]; old != nil {
			old.stop()
		}
		command := pubd(anywhere("--data", s.manifest(), "--refresh", "100ms", "--drain-delay", "2s", "--listen", servers[i].API, "--admin", servers[i].Admin)...)
		command.Env = append(command.Env, releaseVariable(to))
		replicas[i] = start(t, command)
		replicas[i].await()
	}
	for i := range 3 {
		server, err := stage.NewServer("")
		ok(t, err)
		servers, replicas = append(servers, server), append(replicas, nil)
		upgrade(i, 0)
	}
	proxy, address, err := stage.StartDeployed(t.Context(), "../../deploy", "haproxy.cfg", t.TempDir(), servers)
	ok(t, err)
	defer proxy.Stop()

	var sent, failed atomic.Int64
	var clients sync.WaitGroup
	done := make(chan struct{})
	stop := sync.OnceFunc(func() {
		close(done)
		clients.Wait()
	})
	defer stop()
	client := http.Client{Timeout: testPatience}
	get := func(query string) (body struct {
		Snapshot string
		Results  []struct{ Trading string }
	}) {
		request, _ := http.NewRequest("GET", "http://"+address+"/api/v1/pubs/?"+query, nil)
		request.Header.Set("x-api-key", "demo")
		sent.Add(1)
		response, err := client.Do(request)
		if err != nil {
			failed.Add(1)
			t.Errorf("%s: %v", query, err)
			return body
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&body); err != nil || response.StatusCode != 200 {
			failed.Add(1)
			t.Errorf("%s: got %d, %v", query, response.StatusCode, err)
		}
		return body
	}
	eventually(t, "HAProxy", func() bool {
		response, err := client.Get("http://" + address + "/")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == 200
	})
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				first := get("search=*&amount=5&page=1")
				for page := 2; page <= 4 && first.Snapshot != ""; page++ {
					rest := get(fmt.Sprintf("search=*&amount=5&page=%d&snapshot=%s", page, first.Snapshot))
					if len(rest.Results) > 0 && rest.Results[0].Trading != first.Results[0].Trading {
						t.Errorf("page %d is of another snapshot", page)
					}
				}
			}
		})
	}
	publish := func(generation string, by int) {
		command := pubd("publish", "--to", s.dir, "--activate-in", "3s", write(t, "pubs.csv", pubs(20, generation)))
		command.Env = append(command.Env, releaseVariable(by))
		p := start(t, command)
		p.exit(testPatience, exitOK)
		for i, replica := range replicas {
			eventually(t, fmt.Sprintf("replica %d serves %s", i, generation), func() bool { return generation == servedBy(replica) })
		}
	}
	upgrade(0, 1)
	publish("b", 0) // one replica of three reads another format
	upgrade(1, 1)
	upgrade(2, 1)
	publish("c", 1)
	upgrade(0, 0)
	publish("d", 1)
	upgrade(1, 0)
	upgrade(2, 0)
	publish("e", 0)
	stop()
	if sent.Load() < 1000 || failed.Load() > 0 {
		t.Errorf("%d of %d requests failed, want 0 of 1,000 and more", failed.Load(), sent.Load())
	}
	t.Logf("%d requests", sent.Load())
}

// servedBy returns the generation that a server serves.
func servedBy(p *process) string { return generation(p, "demo") }
