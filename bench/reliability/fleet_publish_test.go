package reliability

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/index"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

func TestD4(t *testing.T) {
	timedRow(t, "a manifest that is unsigned, signed by another key, of another directory, replayed, or names another index file; an index file of another format, without its source",
		"rejected with its reason; the old one stays")
	storage := startStorage(t)
	snapshots := makeEditions(t, 3)
	trusted, keyFile, public := newKey(t)
	other, _, _ := newKey(t)
	known := map[string]manifest.Snapshot{}
	for _, s := range snapshots {
		s.publish(t, 0, "--sign", keyFile)
		known[s.ID] = published(t).Snapshots[0]
	}
	place, last := openPlace(t), manifest.Manifest{Sequence: published(t).Sequence, Directory: published(t).Directory}
	// next returns the next manifest, with a snapshot, changed. It is signed unless the key is nil.
	next := func(s *snapshot, key *manifest.PrivateKey, change func(*manifest.Manifest)) []byte {
		published := known[s.ID]
		published.PublishedAt = time.Now().UTC()
		published.ActivateAt = published.PublishedAt
		last.Sequence++
		last.Snapshots = append([]manifest.Snapshot{published}, last.Snapshots...)
		changed := last
		change(&changed)
		content := changed.Render()
		if key != nil {
			signature := manifest.Sign(content, last.Sequence, *key)
			testkit.OK(t, place.folder.Put(t.Context(), manifest.SignatureName(content), bytes.NewReader(signature), int64(len(signature))))
		}
		return content
	}
	put := func(content []byte) {
		_, version, err := place.client.ReadVersion(t.Context(), place.manifest, manifest.MaxSize)
		testkit.OK(t, errors.Join(err, place.folder.Replace(t.Context(), manifest.Name, content, version)))
	}
	unchanged := func(*manifest.Manifest) {}
	old := next(snapshots[0], &trusted, unchanged)
	put(old)
	replicas := newFollowers(t, storage.address, "--trust", public)
	allServe(t, replicas, snapshots[0])
	wrongs := []struct {
		name, reason string
		key          *manifest.PrivateKey
		change       func(*manifest.Manifest) // nil for the old manifest
	}{
		{"unsigned", "has no signature", nil, unchanged},
		{"signed by another key", "is by the key", &other, unchanged},
		{"of another directory", "is it the manifest of another directory", &trusted, func(m *manifest.Manifest) { m.Directory = strings.Repeat("0f", 16) }},
		{"naming another index file", "is the index of the snapshot " + snapshots[2].ID, &trusted, func(m *manifest.Manifest) { m.Snapshots[0].Index = known[snapshots[2].ID].Index }},
		{"replayed", "must not go back", nil, nil},
		{"index file of another format", "index.format", &trusted, func(m *manifest.Manifest) {
			m.Snapshots[0].Index.Format, m.Snapshots[0].Origin = m.Snapshots[0].Index.Format+1, nil
		}},
	}
	for _, wrong := range wrongs {
		content := old
		if wrong.change != nil {
			content = next(snapshots[1], wrong.key, wrong.change)
		}
		put(content)
		for n, r := range replicas {
			testkit.Eventually(t, fmt.Sprintf("%s: replica %d says %q", wrong.name, n, wrong.reason), func() bool { return strings.Contains(r.readiness().LastReload, wrong.reason) })
			got := r.readiness().Snapshot
			testkit.FailIf(t, got != snapshots[0].ID, "%s: replica %d serves %s, want %s", wrong.name, n, got, snapshots[0].ID)
		}
		last.Snapshots = last.Snapshots[len(last.Snapshots)-1:]
	}
	put(next(snapshots[1], &trusted, unchanged))
	allServe(t, replicas, snapshots[1])
	figure(t, fmt.Sprintf("%d manifests, 3 replicas", len(wrongs)), "each rejected by each replica with its reason in /readyz, the old snapshot served; then a right one was taken")
}

func newKey(t *testing.T) (private manifest.PrivateKey, file, public string) {
	t.Helper()
	publicText, privateText, err := manifest.GenerateKey("")
	testkit.OK(t, err)
	file = filepath.Join(t.TempDir(), "key")
	testkit.OK(t, os.WriteFile(file, privateText, 0o600))
	return testkit.Must(manifest.ReadPrivateKey(file, ""))(t), file, testkit.Must(manifest.ParsePublicKey(string(publicText)))(t).String()
}

// A place is the destination of publish.
type place struct {
	client   *storage.Client
	folder   storage.Folder
	manifest storage.Location
}

func openPlace(t *testing.T) place {
	t.Helper()
	client, at := storage.NewClient(storage.Options{Patience: patience}), testkit.Must(storage.Parse("s3://"+bucket+"/pubs"))(t)
	return place{client, testkit.Must(client.Folder(at))(t), at.In(manifest.Name)}
}

// open opens the stored index file of a snapshot.
func (p place) open(t *testing.T, i manifest.Index) io.ReadCloser {
	t.Helper()
	return testkit.Must(p.client.Open(t.Context(), p.manifest.Sibling(i.Key), storage.Request{}))(t)
}

// publish publishes the snapshot, to be activated after a time, and returns when that is.
func (s *snapshot) publish(t *testing.T, in time.Duration, flags ...string) (at time.Time) {
	t.Helper()
	command := publish(t, s.file)
	command.Args = append(append(command.Args, "--activate-in", in.String()), flags...)
	testkit.Must(stage.Output(command))(t)
	newest := published(t).Snapshots[0]
	testkit.Equal(t, "published", newest.ID, s.ID)
	return newest.ActivateAt
}

// publish returns the command that publishes a file to the bucket.
func publish(t *testing.T, file string) *exec.Cmd {
	command := exec.CommandContext(t.Context(), program, "publish", "--to", "s3://"+bucket+"/pubs", file)
	command.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // for files that a killed process leaves
	return command
}

// published reads the manifest and the index file of its newest snapshot, which must be intact.
func published(t *testing.T) *manifest.Manifest {
	t.Helper()
	p := openPlace(t)
	content, _, err := p.client.ReadVersion(t.Context(), p.manifest, manifest.MaxSize)
	testkit.OK(t, err)
	m := testkit.Must(manifest.Parse(content))(t)
	newest := m.Snapshots[0].Index
	stored := p.open(t, newest)
	defer stored.Close()
	testkit.OK(t, newest.Check(stored))
	testkit.StopIf(t, newest.Format != index.FormatVersion(), "index.format %d, want %d", newest.Format, index.FormatVersion())
	return m
}

func TestD5(t *testing.T) {
	timedRow(t, "two publishers at once", "one wins, the other is told; every manifest is whole")
	startStorage(t)
	rounds := pick(3, 100)
	files := makeFiles(t, t.TempDir(), allPubs, 3)
	testkit.OK(t, publish(t, files[2]).Run())
	sequence, conflicts := published(t).Sequence, 0
	for round := range rounds {
		var said [2][]byte
		var errs [2]error
		var both sync.WaitGroup
		for i := range 2 {
			command := publish(t, files[(i+round)%3])
			both.Go(func() { said[i], errs[i] = command.CombinedOutput() })
		}
		both.Wait()
		won := uint64(0)
		for i := range 2 {
			switch {
			case errs[i] == nil && strings.Contains(string(said[i]), "already, nothing to do"):
			case errs[i] == nil:
				won++
			case strings.Contains(string(said[i]), "another publisher replaced it"):
				conflicts++
			default:
				t.Errorf("round %d: %v: %s", round, errs[i], said[i])
			}
		}
		got := published(t).Sequence
		testkit.StopIf(t, won == 0 || got != sequence+won, "round %d: sequence %d after %d and %d publishers that won: %s %s", round, got, sequence, won, said[0], said[1])
		sequence += won
	}
	figure(t, fmt.Sprintf("%d times", rounds), "%d publishers were told of another one; each of the others has its manifest, and all manifests were whole", conflicts)
}

func TestD8(t *testing.T) {
	timedRow(t, "publish killed at random moments", "the manifest always names a whole snapshot; the next run finishes")
	startStorage(t)
	kills := pick(3, 100)
	files := makeFiles(t, t.TempDir(), allPubs, 2)
	begun := time.Now()
	testkit.OK(t, publish(t, files[1]).Run())
	lasts, killed := time.Since(begun), 0
	for kill := range kills {
		before, file := published(t).Sequence, files[kill%2]
		command := publish(t, file)
		testkit.OK(t, command.Start())
		timer := time.AfterFunc(rand.N(lasts*5/4), func() { _ = command.Process.Kill() })
		if command.Wait() != nil {
			killed++
		}
		timer.Stop()
		got := published(t).Sequence
		testkit.StopIf(t, got != before && got != before+1, "sequence %d after %d", got, before)
		said, err := publish(t, file).CombinedOutput()
		got = published(t).Sequence
		testkit.StopIf(t, err != nil || got != before+1, "the next run: %v: %s: sequence %d, want %d", err, said, got, before+1)
	}
	figure(t, fmt.Sprintf("%d kills", killed), "of %d runs, at random moments of their %v; the manifest always named a whole snapshot, and each next run finished", kills, lasts.Round(time.Millisecond))
}

func TestD9(t *testing.T) {
	timedRow(t, "publishes from PostgreSQL under concurrent updates", "each snapshot is one committed state of the table")
	startStorage(t)
	db := testkit.Must(stage.StartPostgres(t.Context()))(t)
	defer db.Close()
	const rows = 500
	testkit.Must(db.Run(t.Context(), fmt.Sprintf(`CREATE TABLE pubs (id text, name text); INSERT INTO pubs SELECT 'u' || n, 'g0' FROM generate_series(1, %d) AS n;`, rows)))(t)
	query := filepath.Join(t.TempDir(), "pubs.sql")
	testkit.OK(t, os.WriteFile(query, []byte("SELECT id AS uid, name, 51 AS latitude, -1 AS longitude, 'Ely' AS location FROM pubs ORDER BY id"), 0o600))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	updates, updating := 0, error(nil)
	var wait sync.WaitGroup
	wait.Go(func() {
		for ; ctx.Err() == nil && updating == nil; updates++ { // row by row, in one transaction
			_, updating = db.Run(t.Context(), fmt.Sprintf("DO $$ BEGIN FOR i IN 1..%d LOOP UPDATE pubs SET name = 'g%d' WHERE id = 'u' || i; END LOOP; END $$;", rows, updates+1))
		}
	})
	publishes, states := pick(3, 100), map[string]bool{}
	for range publishes {
		command := publish(t, "")
		command.Args = append(command.Args[:len(command.Args)-1], "--from", "postgres", "--query", query, "--dsn", "host="+db.Dir+" user=postgres dbname=postgres")
		testkit.Must(stage.Output(command))(t)
		states[onlyName(t, published(t).Snapshots[0].Index, rows)] = true
	}
	stop()
	wait.Wait()
	testkit.OK(t, updating)
	figure(t, fmt.Sprintf("%d publishes, %d updates of all %d rows", publishes, updates, rows), "each has all rows of one update; %d different ones", len(states))
}

// onlyName returns the name of all pubs in a stored index file, which must be the same.
func onlyName(t *testing.T, i manifest.Index, pubs int) (name string) {
	t.Helper()
	stored := openPlace(t).open(t, i)
	defer stored.Close()
	file := testkit.Must(os.Create(filepath.Join(t.TempDir(), "pubs.idx")))(t)
	defer file.Close()
	testkit.OK(t, i.Expand(file, stored))
	snapshot := testkit.Must(index.Open(file, 0))(t)
	testkit.StopIf(t, snapshot.Len() != pubs, "%d pubs, want %d", snapshot.Len(), pubs)
	name = snapshot.Pub(0).Name
	for ordinal := range uint32(pubs) {
		got := snapshot.Pub(ordinal).Name
		testkit.StopIf(t, got != name, "names %s and %s in one snapshot", name, got)
	}
	return name
}
