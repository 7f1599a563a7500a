package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/proof"
	"pubd/bench/stage"
	"pubd/data"
	"pubd/httpapi"
	"pubd/index"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

var program, scratch string // pubd, and a directory of this run

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
	region, user, secret = "us-east-1", "fleet", "secret-of-the-fleet"
	bucket               = "snapshots"
)

// startStorage starts versitygw with an empty bucket, for the environment of this process, and returns its address. It ends with the test.
func startStorage(t *testing.T) (address string) {
	t.Helper()
	gateway, err := exec.LookPath(cmp.Or(os.Getenv("VERSITYGW"), "versitygw"))
	if err != nil {
		t.Skip("versitygw is not installed: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0, and put it into PATH or VERSITYGW")
	}
	address, err = stage.FreeAddress()
	ok(t, err)
	dir := t.TempDir()
	ok(t, os.Mkdir(filepath.Join(dir, bucket), 0o755))
	p, err := stage.Start(t.Context(), stage.Command(t.Context(), nil, gateway, "--quiet", "--port", address, "--access", user, "--secret", secret,
		"--region", region, "posix", dir), syscall.SIGTERM, stage.Listening(address))
	ok(t, err)
	t.Cleanup(p.Stop)
	for _, variable := range environment(address) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	return address
}

func environment(address string) []string {
	return []string{"AWS_ENDPOINT_URL=http://" + address, "AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=" + user, "AWS_SECRET_ACCESS_KEY=" + secret}
}

// A snapshot is a file, its index as it is stored, and the right answers to the pages of all pubs along their links.
type snapshot struct {
	manifest.Snapshot
	stored []byte
	pages  []load.Answer
}

// The paging: as many pubs a page as makes many pages of few pubs.
const (
	first   = bench.Pubs + "?search=*&amount=20"
	allPubs = 2000
)

// makeSnapshots makes snapshots, of which each lacks one pub more than the one before.
func makeSnapshots(t *testing.T, n int) (list []*snapshot) {
	t.Helper()
	for _, file := range makeFiles(t, n) {
		s := &snapshot{}
		s.build(t, file)
		s.readPages(t, file)
		list = append(list, s)
	}
	return list
}

// makeFiles returns the names of snapshot files, of which each lacks one pub more than the one before.
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

// build builds the index file and compresses it.
func (s *snapshot) build(t *testing.T, file string) {
	t.Helper()
	built := strings.TrimSuffix(file, ".csv") + ".idx"
	_, err := stage.Output(exec.CommandContext(t.Context(), program, "build", "--force", file, built))
	ok(t, err)
	content, err := os.ReadFile(built)
	ok(t, err)
	var stored bytes.Buffer
	s.Index, err = manifest.Compress(&stored, bytes.NewReader(content))
	ok(t, err)
	s.stored = stored.Bytes()
	opened, err := os.Open(built)
	ok(t, err)
	defer opened.Close()
	snapshot, err := index.Open(opened, 0)
	ok(t, err)
	s.Source, s.ID, s.Pubs = fmt.Sprintf("%x", snapshot.Source()), snapshot.ID(), snapshot.Len()
	s.Index.Key, s.Index.Format = s.ID+manifest.Extension, index.FormatVersion
}

// readPages asks a server of the snapshot alone.
func (s *snapshot) readPages(t *testing.T, file string) {
	t.Helper()
	server, err := stage.NewServer(file)
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
	if len(uids) != s.Pubs {
		t.Fatalf("pages of %s have %d pubs, want %d", s.ID, len(uids), s.Pubs)
	}
}

func request(target string) []byte {
	return []byte("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nx-api-key: demo\r\n\r\n")
}

// next is the target of the link to the next page; empty on the last.
func next(c *load.Conn) string {
	for link := range strings.SplitSeq(c.Header("Link"), ", ") {
		if target, isNext := strings.CutSuffix(link, `>; rel="next"`); isNext {
			target = strings.TrimPrefix(target, "<")
			if strings.HasPrefix(target, "?") {
				target = bench.Pubs + target
			}
			return target
		}
	}
	return ""
}

// A publisher writes manifests.
type publisher struct {
	t      *testing.T
	folder storage.Folder
	at     storage.Location
	client *storage.Client
	last   manifest.Manifest
	raw    []byte
}

const kept = 4 // snapshots of a manifest, with the newest

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{t: t, client: storage.NewClient(storage.Options{Patience: proof.Patience})}
	folder, err := storage.Parse("s3://" + bucket + "/pubs")
	ok(t, err)
	p.folder, err = p.client.Folder(folder)
	ok(t, err)
	p.at, err = folder.In(manifest.Name)
	ok(t, err)
	return p
}

// publish stores a snapshot and then a manifest that activates it after some time.
func (p *publisher) publish(s *snapshot, in time.Duration) (at time.Time) {
	p.t.Helper()
	ok(p.t, p.folder.Put(p.t.Context(), s.Index.Key, bytes.NewReader(s.stored), int64(len(s.stored))))
	now := time.Now().UTC()
	published := s.Snapshot
	published.PublishedAt, published.ActivateAt = now, now.Add(in)
	p.last.Sequence++
	p.last.Snapshots = append([]manifest.Snapshot{published}, p.last.Snapshots[:min(kept-1, len(p.last.Snapshots))]...)
	p.put(p.last.Render())
	return published.ActivateAt
}

func (p *publisher) put(content []byte) {
	p.t.Helper()
	version := ""
	if p.raw != nil {
		var err error
		_, version, err = p.client.ReadVersion(p.t.Context(), p.at, manifest.MaxSize)
		ok(p.t, err)
	}
	ok(p.t, p.folder.Replace(p.t.Context(), manifest.Name, content, version))
	p.raw = content
}

// A replica follows the manifest.
type replica struct {
	*stage.Server
	t        *testing.T
	log      string // its file
	endpoint string
	flags    []string
}

// newReplicas starts three replicas that ask an S3 server, with caches of their own.
func newReplicas(t *testing.T, endpoint string, flags ...string) (list []*replica) {
	t.Helper()
	for range 3 {
		server, err := stage.NewServer("s3://" + bucket + "/pubs/" + manifest.Name)
		ok(t, err)
		dir := t.TempDir()
		r := &replica{server, t, filepath.Join(dir, "log"), endpoint, append([]string{"--refresh", "200ms", "--file-timeout", "2s", "--keep-snapshots",
			fmt.Sprint(kept), "--cache", filepath.Join(dir, "cache")}, flags...)}
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
	before := append(append([]string{"env"}, environment(r.endpoint)...), "sh", "-c", `exec "$@" 2>>"$0"`, r.log)
	return r.Start(r.t.Context(), before, program, r.flags...)
}

// said is its log.
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

// front starts HAProxy or nginx as in deploy in front of replicas.
func front(t *testing.T, name string, replicas []*replica) (address string) {
	t.Helper()
	var servers []*stage.Server
	for _, r := range replicas {
		servers = append(servers, r.Server)
	}
	dir, err := os.MkdirTemp(scratch, "front")
	ok(t, err)
	process, address, err := stage.StartDeployed(t.Context(), "../../deploy", name, dir, servers)
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
