package fleet

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/proof"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/httpapi"
	"pubd/loader/manifest"
)

var program, scratch string // pubd, and a directory for this run

func TestMain(m *testing.M) { os.Exit(proof.Main(m, &program, &scratch)) }

func ok(t testing.TB, err error) {
	t.Helper()
	if missing := (stage.MissingError{}); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

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
	address, err := stage.FreeAddress()
	ok(t, err)
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

// A snapshot is a file with its id and number of pubs, and the right answers for the pages of all pubs.
type snapshot struct {
	file, ID string
	pubs     int
	pages    []load.Answer
}

// The first page, small enough that few pubs have many pages.
const (
	first   = bench.Pubs + "?search=*&amount=20"
	allPubs = 2000
)

// makeSnapshots creates snapshots. Each has one pub less than the previous one.
func makeSnapshots(t *testing.T, n int) (list []*snapshot) {
	t.Helper()
	for i, file := range makeFiles(t, n) {
		content, err := os.ReadFile(file)
		ok(t, err)
		s := &snapshot{file: file, ID: fmt.Sprintf("%.8x", sha256.Sum256(content)), pubs: allPubs - i}
		s.readPages(t)
		list = append(list, s)
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
		file := filepath.Join(dir, fmt.Sprintf("%d.csv", i))
		ok(t, os.WriteFile(file, append(bytes.Clone(content), '\n'), 0o600))
		content = content[:bytes.LastIndexByte(content, '\n')]
		files = append(files, file)
	}
	return files
}

// readPages reads the pages from a server that serves only this snapshot.
func (s *snapshot) readPages(t *testing.T) {
	t.Helper()
	server, err := stage.NewServer(s.file)
	ok(t, err)
	ok(t, server.Start(t.Context(), nil, program))
	defer server.Stop()
	c := load.Conn{Address: server.API}
	defer c.Close()
	uids := map[string]bool{}
	for target := first; target != ""; target = next(&c) {
		answer, err := c.Ask(request(target))
		ok(t, err)
		s.pages = append(s.pages, answer)
		var page struct{ Results []struct{ UID string } }
		ok(t, json.Unmarshal(c.Body(), &page))
		for _, pub := range page.Results {
			uids[pub.UID] = true
		}
	}
	if len(uids) != s.pubs {
		t.Fatalf("pages of %s have %d pubs, want %d", s.ID, len(uids), s.pubs)
	}
}

func request(target string) []byte {
	return []byte("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nx-api-key: demo\r\n\r\n")
}

// next returns the target of the link to the next page, or "" on the last page.
func next(c *load.Conn) string {
	if query := c.NextPage(); query != "" {
		return bench.Pubs + query
	}
	return ""
}

const kept = 4 // snapshots that replicas keep, including the newest

// A replica follows the manifest.
type replica struct {
	*stage.Server
	t        *testing.T
	log      string // its file
	endpoint string
	secrets  string // its credentials file
	flags    []string
}

// newReplicas starts three replicas that use an S3 server, each with its own cache.
func newReplicas(t *testing.T, endpoint string, flags ...string) (list []*replica) {
	t.Helper()
	for range 3 {
		server, err := stage.NewServer("s3://" + bucket + "/pubs/" + manifest.Name)
		ok(t, err)
		dir := t.TempDir()
		r := &replica{server, t, filepath.Join(dir, "log"), endpoint, filepath.Join(dir, "credentials"), append([]string{"--refresh", "200ms", "--file-timeout", "2s", "--keep-snapshots",
			fmt.Sprint(kept), "--cache", filepath.Join(dir, "cache")}, flags...)}
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

func (r *replica) start() {
	r.t.Helper()
	ok(r.t, r.tryStart())
}

func (r *replica) tryStart() error {
	before := []string{"env", "-u", "AWS_ACCESS_KEY_ID", "-u", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL=http://" + r.endpoint, "AWS_SHARED_CREDENTIALS_FILE=" + r.secrets,
		"sh", "-c", `exec "$@" 2>>"$0"`, r.log}
	return r.Start(r.t.Context(), before, program, r.flags...)
}

// giveSecret writes the credentials of this process to the replica's file.
func (r *replica) giveSecret() {
	r.t.Helper()
	content := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"))
	ok(r.t, os.WriteFile(r.secrets, []byte(content), 0o600))
}

// said returns the replica's log.
func (r *replica) said() string {
	content, _ := os.ReadFile(r.log)
	return string(content)
}

func (r *replica) ready() (said httpapi.Readiness) {
	r.t.Helper()
	answer, err := http.Get("http://" + r.Admin + "/readyz")
	ok(r.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ok(r.t, err)
	ok(r.t, json.Unmarshal(body, &said))
	return said
}

// serve waits until all replicas serve a snapshot.
func serve(t *testing.T, replicas []*replica, s *snapshot) {
	t.Helper()
	for i, r := range replicas {
		proof.Eventually(t, fmt.Sprintf("replica %d serves %s", i, s.ID), func() bool { return r.ready().Snapshot == s.ID })
	}
}

// front starts HAProxy or nginx in front of replicas, with the configuration in deploy.
func front(t *testing.T, name string, replicas []*replica) (address string) {
	t.Helper()
	var servers []*stage.Server
	for _, r := range replicas {
		servers = append(servers, r.Server)
	}
	process, address, err := stage.StartDeployed(t.Context(), "../../deploy", name, t.TempDir(), servers)
	ok(t, err)
	t.Cleanup(process.Stop)
	proof.Eventually(t, name+" answers", func() bool {
		c := load.Conn{Address: address}
		defer c.Close()
		answer, err := c.Ask(request(first))
		return err == nil && answer.Status == http.StatusOK
	})
	return address
}
