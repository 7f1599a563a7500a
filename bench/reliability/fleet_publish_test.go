package reliability

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pubd/bench/proof"
	"pubd/bench/stage"
	"pubd/index"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

func TestD4(t *testing.T) {
	proof.Row(t, "a manifest that is unsigned, signed by another key, replayed, or names another index file; an index file of another format",
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
	place, last := openPlace(t), manifest.Manifest{Sequence: published(t).Sequence}
	sign := func(key manifest.PrivateKey) []byte {
		content := last.Render()
		signature := manifest.Sign(content, last.Sequence, key)
		ok(t, place.folder.Put(t.Context(), manifest.SignatureName(content), bytes.NewReader(signature), int64(len(signature))))
		return content
	}
	next := func(s *edition, change func(*manifest.Snapshot)) {
		published := known[s.ID]
		published.PublishedAt = time.Now().UTC()
		published.ActivateAt = published.PublishedAt
		change(&published)
		last.Sequence++
		last.Snapshots = append([]manifest.Snapshot{published}, last.Snapshots...)
	}
	put := func(content []byte) {
		_, version, err := place.client.ReadVersion(t.Context(), place.manifest, manifest.MaxSize)
		ok(t, err)
		ok(t, place.folder.Replace(t.Context(), manifest.Name, content, version))
	}
	unchanged := func(*manifest.Snapshot) {}
	next(snapshots[0], unchanged)
	old := sign(trusted)
	put(old)
	replicas := newFollowers(t, storage.address, "--trust", public)
	allServe(t, replicas, snapshots[0])
	wrongs := []struct {
		name, reason string
		manifest     func() []byte
	}{
		{"unsigned", "has no signature", func() []byte {
			next(snapshots[1], unchanged)
			return last.Render()
		}},
		{"signed by another key", "is by the key", func() []byte {
			next(snapshots[1], unchanged)
			return sign(other)
		}},
		{"naming another index file", "is the index of the snapshot " + snapshots[2].ID, func() []byte {
			next(snapshots[1], func(s *manifest.Snapshot) { s.Index = known[snapshots[2].ID].Index })
			return sign(trusted)
		}},
		{"replayed", "must not go back", func() []byte { return old }},
		{"index file of another format", "index.format", func() []byte {
			next(snapshots[1], func(s *manifest.Snapshot) { s.Index.Format++ })
			return sign(trusted)
		}},
	}
	for _, wrong := range wrongs {
		put(wrong.manifest())
		for n, r := range replicas {
			proof.Eventually(t, fmt.Sprintf("%s: replica %d says %q", wrong.name, n, wrong.reason), func() bool { return strings.Contains(r.readiness().LastReload, wrong.reason) })
			got := r.readiness().Snapshot
			failIf(t, got != snapshots[0].ID, "%s: replica %d serves %s, want %s", wrong.name, n, got, snapshots[0].ID)
		}
		last.Snapshots = last.Snapshots[len(last.Snapshots)-1:]
	}
	next(snapshots[1], unchanged)
	put(sign(trusted))
	allServe(t, replicas, snapshots[1])
	proof.Figure(t, fmt.Sprintf("%d manifests, 3 replicas", len(wrongs)), "each rejected by each replica with its reason in /readyz, the old snapshot served; then a right one was taken")
}

func newKey(t *testing.T) (private manifest.PrivateKey, file, public string) {
	t.Helper()
	publicText, privateText, err := manifest.GenerateKey("")
	ok(t, err)
	file = filepath.Join(t.TempDir(), "key")
	ok(t, os.WriteFile(file, privateText, 0o600))
	private = must(manifest.ReadPrivateKey(file, ""))(t)
	key := must(manifest.ParsePublicKey(string(publicText)))(t)
	return private, file, key.String()
}

// A place is the destination of publish.
type place struct {
	client   *storage.Client
	folder   storage.Folder
	manifest storage.Location
}

func openPlace(t *testing.T) place {
	t.Helper()
	p := place{client: storage.NewClient(storage.Options{Patience: proof.Patience})}
	at := must(storage.Parse("s3://" + bucket + "/pubs"))(t)
	p.folder = must(p.client.Folder(at))(t)
	p.manifest = must(at.In(manifest.Name))(t)
	return p
}

// publish publishes the snapshot, to be activated after a time, and returns when that is.
func (s *edition) publish(t *testing.T, in time.Duration, flags ...string) (at time.Time) {
	t.Helper()
	command := publish(t, s.file)
	command.Args = append(append(command.Args, "--activate-in", in.String()), flags...)
	must(stage.Output(command))(t)
	newest := published(t).Snapshots[0]
	if newest.ID != s.ID || newest.Pubs != s.pubs {
		t.Fatalf("published %s with %d pubs, want %s with %d", newest.ID, newest.Pubs, s.ID, s.pubs)
	}
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
	ok(t, err)
	m := must(manifest.Parse(content))(t)
	l := must(p.manifest.Sibling(m.Snapshots[0].Index.Key))(t)
	stored := must(p.client.Open(t.Context(), l, storage.Request{}))(t)
	defer stored.Close()
	ok(t, m.Snapshots[0].Index.Check(stored))
	if m.Snapshots[0].Index.Format != index.FormatVersion() {
		t.Fatalf("index.format %d, want %d", m.Snapshots[0].Index.Format, index.FormatVersion())
	}
	return m
}

func TestD5(t *testing.T) {
	proof.Row(t, "two publishers at once", "one wins, the other is told; every manifest is whole")
	startStorage(t)
	rounds := proof.Pick(3, 100)
	files := makeFiles(t, 3)
	ok(t, publish(t, files[2]).Run())
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
		if got := published(t).Sequence; won == 0 || got != sequence+won {
			t.Fatalf("round %d: sequence %d after %d and %d publishers that won: %s %s", round, got, sequence, won, said[0], said[1])
		}
		sequence += won
	}
	proof.Figure(t, fmt.Sprintf("%d times", rounds), "%d publishers were told of another one; each of the others has its manifest, and all manifests were whole", conflicts)
}

func TestD8(t *testing.T) {
	proof.Row(t, "publish killed at random moments", "the manifest always names a whole snapshot; the next run finishes")
	startStorage(t)
	kills := proof.Pick(3, 100)
	files := makeFiles(t, 2)
	begun := time.Now()
	ok(t, publish(t, files[1]).Run())
	lasts, killed := time.Since(begun), 0
	for kill := range kills {
		before, file := published(t).Sequence, files[kill%2]
		command := publish(t, file)
		ok(t, command.Start())
		timer := time.AfterFunc(rand.N(lasts*5/4), func() { _ = command.Process.Kill() })
		if command.Wait() != nil {
			killed++
		}
		timer.Stop()
		if got := published(t).Sequence; got != before && got != before+1 {
			t.Fatalf("sequence %d after %d", got, before)
		}
		said, err := publish(t, file).CombinedOutput()
		if got := published(t).Sequence; err != nil || got != before+1 {
			t.Fatalf("the next run: %v: %s: sequence %d, want %d", err, said, got, before+1)
		}
	}
	proof.Figure(t, fmt.Sprintf("%d kills", killed), "of %d runs, at random moments of their %v; the manifest always named a whole snapshot, and each next run finished", kills, lasts.Round(time.Millisecond))
}

func TestD9(t *testing.T) {
	proof.Row(t, "publishes from PostgreSQL under concurrent updates", "each snapshot is one committed state of the table")
	startStorage(t)
	db := must(stage.StartPostgres(t.Context()))(t)
	defer db.Close()
	const rows = 500
	must(db.Run(t.Context(), fmt.Sprintf(`CREATE TABLE pubs (id text, name text); INSERT INTO pubs SELECT 'u' || n, 'g0' FROM generate_series(1, %d) AS n;`, rows)))(t)
	query := filepath.Join(t.TempDir(), "pubs.sql")
	ok(t, os.WriteFile(query, []byte("SELECT id AS uid, name, 51 AS latitude, -1 AS longitude, 'Ely' AS location FROM pubs ORDER BY id"), 0o600))
	stop, updates := make(chan struct{}), make(chan int)
	var updating error
	go func() {
		n := 0
		for ; updating == nil; n++ {
			select {
			case <-stop:
				updates <- n
				return
			default: // row by row, in one transaction
				_, updating = db.Run(t.Context(), fmt.Sprintf("DO $$ BEGIN FOR i IN 1..%d LOOP UPDATE pubs SET name = 'g%d' WHERE id = 'u' || i; END LOOP; END $$;", rows, n+1))
			}
		}
		updates <- n
	}()
	publishes, states := proof.Pick(3, 100), map[string]bool{}
	for range publishes {
		command := publish(t, "")
		command.Args = append(command.Args[:len(command.Args)-1], "--from", "postgres", "--query", query, "--dsn", "host="+db.Dir+" user=postgres dbname=postgres")
		must(stage.Output(command))(t)
		states[onlyName(t, published(t).Snapshots[0].Index, rows)] = true
	}
	close(stop)
	n := <-updates
	ok(t, updating)
	proof.Figure(t, fmt.Sprintf("%d publishes, %d updates of all %d rows", publishes, n, rows), "each has all rows of one update; %d different ones", len(states))
}

// onlyName returns the name of all pubs in a stored index file, which must be the same.
func onlyName(t *testing.T, i manifest.Index, pubs int) (name string) {
	t.Helper()
	p := openPlace(t)
	l := must(p.manifest.Sibling(i.Key))(t)
	stored := must(p.client.Open(t.Context(), l, storage.Request{}))(t)
	defer stored.Close()
	file := must(os.Create(filepath.Join(t.TempDir(), "pubs.idx")))(t)
	defer file.Close()
	ok(t, i.Expand(file, stored))
	snapshot := must(index.Open(file, 0))(t)
	if snapshot.Len() != pubs {
		t.Fatalf("%d pubs, want %d", snapshot.Len(), pubs)
	}
	for ordinal := range uint32(pubs) {
		switch got := snapshot.Pub(ordinal).Name; {
		case name == "":
			name = got
		case got != name:
			t.Fatalf("names %s and %s in one snapshot", name, got)
		}
	}
	return name
}
