package reliability

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"pubd/bench/load"
	"pubd/bench/proof"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/loader/manifest"
)

const (
	region, user = "us-east-1", "fleet"
	bucket       = "snapshots"
)

// A gateway is versitygw with a bucket.
type gateway struct {
	*stage.Process
	address, program, dir string
}

// startStorage starts versitygw with an empty bucket, and sets the environment of this process to use it. It is stopped when the test ends.
func startStorage(t *testing.T) *gateway {
	t.Helper()
	path, err := exec.LookPath(cmp.Or(os.Getenv("VERSITYGW"), "versitygw"))
	if err != nil {
		t.Skip("versitygw is not installed: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0, and put it into PATH or VERSITYGW")
	}
	address := must(stage.FreeAddress())(t)
	g := &gateway{address: address, program: path, dir: t.TempDir()}
	ok(t, os.Mkdir(filepath.Join(g.dir, bucket), 0o755))
	t.Setenv("AWS_ENDPOINT_URL", "http://"+address)
	t.Setenv("AWS_REGION", region)
	g.start(t, "secret-of-the-fleet")
	t.Cleanup(func() { g.Stop() })
	return g
}

// start starts versitygw with a secret, and sets the environment of this process to use it.
func (g *gateway) start(t *testing.T, secret string) {
	t.Helper()
	var err error
	g.Process, err = stage.Start(t.Context(), stage.Command(t.Context(), g.program, "--quiet", "--port", g.address, "--access", user, "--secret", secret,
		"--region", region, "posix", g.dir), syscall.SIGTERM, stage.Listening(g.address))
	ok(t, err)
	t.Setenv("AWS_ACCESS_KEY_ID", user)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
}

// An edition is a snapshot of a number of pubs. Its targets are the pages of all of them.
type edition struct {
	*snapshot
	pubs int
}

const allPubs = 2000

// makeEditions creates snapshots. Each has one pub less than the previous one.
func makeEditions(t *testing.T, n int) (list []*edition) {
	t.Helper()
	for i, file := range makeFiles(t, n) {
		content := must(os.ReadFile(file))(t)
		e := &edition{&snapshot{file: file, Snapshot: load.Snapshot{ID: fmt.Sprintf("%.8x", sha256.Sum256(content))}}, allPubs - i}
		e.readPages(t)
		list = append(list, e)
	}
	return list
}

// makeFiles creates snapshot files. Each has one pub less than the previous one.
func makeFiles(t *testing.T, n int) (files []string) {
	t.Helper()
	var text bytes.Buffer
	ok(t, data.Generate(&text, allPubs, 1, nil))
	content, dir := bytes.TrimRight(text.Bytes(), "\n"), t.TempDir()
	for i := range n {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.csv", i)))
		write(t, files[i], append(bytes.Clone(content), '\n'))
		content = content[:bytes.LastIndexByte(content, '\n')]
	}
	return files
}

// readPages reads the pages from a server that serves only this snapshot.
func (e *edition) readPages(t *testing.T) {
	t.Helper()
	r := serveUnder(t, nil, e.file)
	defer r.Stop()
	c := load.Conn{Address: r.API}
	defer c.Close()
	uids := map[string]bool{}
	for target := firstPage; target != ""; target = nextPage(&c) {
		answer := must(c.Ask(request(target)))(t)
		e.Answers = append(e.Answers, answer)
		e.targets = append(e.targets, pageTarget(len(e.Answers)))
		var page struct{ Results []struct{ UID string } }
		ok(t, json.Unmarshal(c.Body(), &page))
		for _, pub := range page.Results {
			uids[pub.UID] = true
		}
	}
	if len(uids) != e.pubs {
		t.Fatalf("pages of %s have %d pubs, want %d", e.ID, len(uids), e.pubs)
	}
}

// A follower is a replica that follows the manifest.
type follower struct {
	*replica
	log      string // its file
	endpoint string
	secrets  string // its credentials file
	flags    []string
}

// newFollowers starts three replicas that use an S3 server, each with its own cache.
func newFollowers(t *testing.T, endpoint string, flags ...string) (list []*follower) {
	t.Helper()
	for range 3 {
		server := must(stage.NewServer("s3://" + bucket + "/pubs/" + manifest.Name))(t)
		dir := t.TempDir()
		r := &follower{&replica{server, t}, filepath.Join(dir, "log"), endpoint, filepath.Join(dir, "credentials"), append([]string{"--refresh", "200ms", "--cache", filepath.Join(dir, "cache")}, flags...)}
		r.giveSecret()
		r.start()
		t.Cleanup(func() {
			if r.Process != nil {
				r.Stop()
			}
		})
		list = append(list, r)
	}
	return list
}

func (r *follower) start() {
	r.t.Helper()
	ok(r.t, r.tryStart())
}

func (r *follower) tryStart() error {
	before := []string{"env", "-u", "AWS_ACCESS_KEY_ID", "-u", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL=http://" + r.endpoint, "AWS_SHARED_CREDENTIALS_FILE=" + r.secrets,
		"sh", "-c", `exec "$@" 2>>"$0"`, r.log}
	return r.Start(r.t.Context(), before, program, r.flags...)
}

// giveSecret writes the credentials of this process to the replica's file.
func (r *follower) giveSecret() {
	r.t.Helper()
	content := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"))
	ok(r.t, os.WriteFile(r.secrets, []byte(content), 0o600))
}

// logged returns the replica's log.
func (r *follower) logged() string {
	content, _ := os.ReadFile(r.log)
	return string(content)
}

// allServe waits until all replicas serve a snapshot.
func allServe(t *testing.T, replicas []*follower, s *edition) {
	t.Helper()
	for i, r := range replicas {
		proof.Eventually(t, fmt.Sprintf("replica %d serves %s", i, s.ID), func() bool { return r.readiness().Snapshot == s.ID })
	}
}

// front starts HAProxy or nginx in front of replicas, with the configuration in deploy.
func front(t *testing.T, name string, followers []*follower) (address string) {
	t.Helper()
	var replicas []*replica
	for _, r := range followers {
		replicas = append(replicas, r.replica)
	}
	address = startDeployed(t, name, replicas)
	proof.Eventually(t, name+" answers", func() bool {
		status, _, err := get("http://"+address+firstPage, demo)
		return err == nil && status == http.StatusOK
	})
	return address
}
