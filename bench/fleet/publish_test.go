package fleet

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

	"pubd/index"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

func TestD4(t *testing.T) {
	row(t, "a manifest that is unsigned, signed by another key, replayed, or names another index file; an index file of another format",
		"rejected with its reason; the old one stays")
	endpoint := startStorage(t)
	snapshots := makeSnapshots(t, 3)
	trusted, public := newKey(t)
	other, _ := newKey(t)
	p := newPublisher(t)
	sign := func(key manifest.PrivateKey) []byte {
		content := p.last.Render()
		signature := manifest.Sign(content, p.last.Sequence, key)
		ok(t, p.folder.Put(t.Context(), manifest.SignatureName(content), bytes.NewReader(signature), int64(len(signature))))
		return content
	}
	store := func(s *snapshot) {
		ok(t, p.folder.Put(t.Context(), s.Index.Key, bytes.NewReader(s.stored), int64(len(s.stored))))
	}
	next := func(s *snapshot, change func(*manifest.Snapshot)) {
		published := s.Snapshot
		published.PublishedAt = time.Now().UTC()
		published.ActivateAt = published.PublishedAt
		change(&published)
		p.last.Sequence++
		p.last.Snapshots = append([]manifest.Snapshot{published}, p.last.Snapshots...)
	}
	unchanged := func(*manifest.Snapshot) {}
	store(snapshots[0])
	store(snapshots[1])
	store(snapshots[2])
	next(snapshots[0], unchanged)
	old := sign(trusted)
	p.put(old)
	replicas := newReplicas(t, endpoint, "--trust", public)
	serve(t, replicas, snapshots[0])
	wrongs := []struct {
		name, reason string
		manifest     func() []byte
	}{
		{"unsigned", "has no signature", func() []byte {
			next(snapshots[1], unchanged)
			return p.last.Render()
		}},
		{"signed by another key", "is by the key", func() []byte {
			next(snapshots[1], unchanged)
			return sign(other)
		}},
		{"naming another index file", "is the index of the snapshot " + snapshots[2].ID, func() []byte {
			next(snapshots[1], func(s *manifest.Snapshot) { s.Index = snapshots[2].Index })
			return sign(trusted)
		}},
		{"replayed", "must not go back", func() []byte { return old }},
		{"index file of another format", "index.format", func() []byte {
			next(snapshots[1], func(s *manifest.Snapshot) { s.Index.Format++ })
			return sign(trusted)
		}},
	}
	for _, wrong := range wrongs {
		p.put(wrong.manifest())
		for n, r := range replicas {
			eventually(t, fmt.Sprintf("%s: replica %d says %q", wrong.name, n, wrong.reason), func() bool { return strings.Contains(r.ready().LastReload, wrong.reason) })
			if got := r.ready().Snapshot; got != snapshots[0].ID {
				t.Errorf("%s: replica %d serves %s, want %s", wrong.name, n, got, snapshots[0].ID)
			}
		}
		p.last.Snapshots = p.last.Snapshots[len(p.last.Snapshots)-1:]
	}
	next(snapshots[1], unchanged)
	p.put(sign(trusted))
	serve(t, replicas, snapshots[1])
	figure(t, fmt.Sprintf("%d manifests, 3 replicas", len(wrongs)), "each rejected by each replica with its reason in /readyz, the old snapshot served; then a right one was taken")
}

func newKey(t *testing.T) (private manifest.PrivateKey, public string) {
	t.Helper()
	publicText, privateText, err := manifest.GenerateKey("")
	ok(t, err)
	file := filepath.Join(t.TempDir(), "key")
	ok(t, os.WriteFile(file, privateText, 0o600))
	private, err = manifest.ReadPrivateKey(file, "")
	ok(t, err)
	key, err := manifest.ParsePublicKey(string(publicText))
	ok(t, err)
	return private, key.String()
}

// publish is the command that publishes a file, to the bucket.
func publish(t *testing.T, file string) *exec.Cmd {
	command := exec.CommandContext(t.Context(), program, "publish", "--to", "s3://"+bucket+"/pubs", file)
	command.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // which a killed one does not tidy
	return command
}

// published reads the manifest and the index file of its newest snapshot, which must be whole.
func published(t *testing.T) *manifest.Manifest {
	t.Helper()
	p := newPublisher(t)
	content, _, err := p.client.ReadVersion(t.Context(), p.at, manifest.MaxSize)
	ok(t, err)
	m, err := manifest.Parse(content)
	ok(t, err)
	l, err := p.at.Sibling(m.Snapshots[0].Index.Key)
	ok(t, err)
	stored, err := p.client.Open(t.Context(), l, storage.Request{})
	ok(t, err)
	defer stored.Close()
	ok(t, m.Snapshots[0].Index.Check(stored))
	if m.Snapshots[0].Index.Format != index.FormatVersion {
		t.Fatalf("index.format %d, want %d", m.Snapshots[0].Index.Format, index.FormatVersion)
	}
	return m
}

func TestD5(t *testing.T) {
	row(t, "two publishers at once", "one wins, the other is told; every manifest is whole")
	startStorage(t)
	rounds := pick(3, 100)
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
			case strings.Contains(string(said[i]), "replaced by another publisher"):
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
	figure(t, fmt.Sprintf("%d times", rounds), "%d publishers were told of another one; each of the others has its manifest, and all manifests were whole", conflicts)
}

func TestD8(t *testing.T) {
	row(t, "publish killed at random moments", "the manifest always names a whole snapshot; the next run finishes")
	startStorage(t)
	kills := pick(3, 100)
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
	figure(t, fmt.Sprintf("%d kills", killed), "of %d runs, at random moments of their %v; the manifest always named a whole snapshot, and each next run finished", kills, lasts.Round(time.Millisecond))
}
