// The benchmarks request the query mix from real servers over loopback, and check every answer. Each server runs on
// one core and the load on the others. See docs/benchmarks.md.
package bench_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/loader"
)

var (
	size = flag.Int("pubs", 50_000, "the number of pubs in the generated snapshot")
	file = flag.String("data", "", "a snapshot to serve instead of a generated one")
	old  = flag.String("old", "", "another pubd binary, such as one of an earlier commit, that BenchmarkPubd measures in turn with this one")
)

// connections is the number of keep-alive connections that are busy at once.
const connections = 32

// A conn is a keep-alive connection, which answers one request at a time.
type conn interface {
	Send(request any) (load.Answer, error)
	Pubs() int // in the last answer
	Close()
}

// A server answers requests.
type server struct {
	name    string
	process *stage.Process
	dial    func() (conn, error)
	// request translates a target, such as /api/v1/pubs/?search=inn. It returns nil if the server has no answer to
	// such requests.
	request func(target string) (any, error)
	admin   string                // pubd's admin address
	exams   map[string][]question // by class
	idle    chan conn             // has all connections between measurements
	dir     string                // is removed at the end, unless it is empty
}

// A question is a request and the answer that a server must always give.
type question struct {
	request any
	want    load.Answer
	pubs    int
}

// A scene is what the benchmarks share.
type scene struct {
	dir, file string
	program   string // pubd
	directory corpus.Directory
	targets   map[string][]string // by class
	pubd      *server
	before    []string // the command that moves a server to its core
}

// theScene is set by the first benchmark and closed by TestMain.
var theScene *scene

var setScene = sync.OnceValue(func() error {
	s := &scene{file: *file, targets: map[string][]string{}}
	theScene = s
	var err error
	if s.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	if err := os.Chmod(s.dir, 0o755); err != nil { // nginx and PostgreSQL may be other users
		return err
	}
	if s.file == "" {
		s.file = filepath.Join(s.dir, "generated.csv")
		if err := bench.WriteDirectory(s.file, *size); err != nil {
			return err
		}
	}
	loaded, err := loader.LoadFile(s.file, loader.Options{})
	if err != nil {
		return err
	}
	s.directory = loaded.Directory
	requests := bench.Requests(s.directory.Pubs)
	for _, class := range bench.AllClasses() {
		for _, query := range requests[class.Name] {
			s.targets[class.Name] = append(s.targets[class.Name], class.Path()+"?"+query)
		}
	}
	if s.program, err = stage.CompilePubd(context.Background(), s.dir); err != nil {
		return err
	}
	where := ""
	if err := s.pin(); err != nil {
		where = ", all programs on the same cores: " + err.Error()
	}
	fmt.Printf("run: %d pubs, one core for each server; %s%s\n", len(s.directory.Pubs), stage.Machine(context.Background()), where)
	s.pubd, err = s.startPubd(s.program)
	return err
})

// pin moves this program to all cores but the first, which is for servers.
func (s *scene) pin() error {
	if runtime.NumCPU() < 2 {
		return errors.New("there is only one")
	}
	said, err := exec.Command("taskset", "-acp", fmt.Sprintf("1-%d", runtime.NumCPU()-1), strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, said)
	}
	s.before = []string{"taskset", "-c", "0"}
	return nil
}

func (s *scene) close() {
	if s.pubd != nil {
		s.pubd.stop()
	}
	_ = os.RemoveAll(s.dir)
}

// serve starts a pubd with its default flags. One thread executes Go code, as each server has one core.
func (s *scene) serve(program string) (*stage.Server, error) {
	process, err := stage.NewServer(s.file)
	if err != nil {
		return nil, err
	}
	return process, process.Start(context.Background(), append(s.before, "env", "GOMAXPROCS=1"), program)
}

func (s *scene) startPubd(program string) (*server, error) {
	process, err := s.serve(program)
	if err != nil {
		return nil, err
	}
	pubd := overHTTP("pubd", process.Process, process.API, `"UID":`)
	pubd.admin = process.Admin
	return pubd, pubd.connect()
}

// overHTTP returns a server with the targets of pubd. A mark is in the JSON of each pub.
func overHTTP(name string, process *stage.Process, address, mark string) *server {
	return &server{name: name, process: process,
		dial: func() (conn, error) { return &httpConn{Conn: load.Conn{Address: address}, mark: mark}, nil },
		request: func(target string) (any, error) {
			return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nx-api-key: demo\r\n\r\n", target), nil
		}}
}

type httpConn struct {
	load.Conn
	mark string
	used time.Time
}

// Send implements conn. Any status but 200 is an error. It replaces a connection that was idle for so long that a
// server may have closed it.
func (c *httpConn) Send(request any) (load.Answer, error) {
	if time.Since(c.used) > 10*time.Second {
		c.Close()
	}
	answer, err := c.Conn.Send(request.([]byte))
	c.used = time.Now()
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("status %d: %.300s", answer.Status, c.Body())
	}
	return answer, err
}

func (c *httpConn) Pubs() int { return strings.Count(string(c.Body()), c.mark) }

// connect opens the connections.
func (s *server) connect() error {
	s.idle, s.exams = make(chan conn, connections), map[string][]question{}
	for range connections {
		c, err := s.dial()
		if err != nil {
			return err
		}
		s.idle <- c
	}
	return nil
}

// questions returns the questions of a class, or none if the server has no answer to such. Each is asked once, when
// they are first needed.
func (s *server) questions(b *testing.B, class bench.Class) []question {
	b.Helper()
	if s.exams[class.Name] == nil {
		for _, target := range theScene.targets[class.Name] {
			request, err := s.request(target)
			if err == nil && request == nil {
				return nil
			}
			q := question{request: request}
			c := <-s.idle // each connection in turn, so that all are open and have prepared their statements
			if err == nil {
				q.want, err = c.Send(request)
			}
			q.pubs = c.Pubs()
			s.idle <- c
			testkit.StopIf(b, err != nil, "%s: %s: %v", s.name, target, err)
			s.exams[class.Name] = append(s.exams[class.Name], q)
		}
	}
	return s.exams[class.Name]
}

// stop closes the connections and stops the server.
func (s *server) stop() {
	for len(s.idle) > 0 {
		(<-s.idle).Close()
	}
	s.process.Stop()
	_ = os.RemoveAll(s.dir) // of "" does nothing
}

// allocated returns how many objects and bytes a pubd has allocated so far.
func (s *server) allocated() (objects, bytes float64, err error) {
	response, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return 0, 0, err
	}
	value := func(name string) float64 { return families[name].GetMetric()[0].GetCounter().GetValue() }
	return value("go_memstats_mallocs_total"), value("go_memstats_alloc_bytes_total"), nil
}

// measure requests all questions of a class in turn until b.N are answered, and returns what that took.
func (s *server) measure(b *testing.B, class bench.Class) sample {
	b.Helper()
	questions, sent := s.questions(b, class), atomic.Int64{}
	b.ResetTimer()
	b.SetParallelism(max(1, connections/runtime.GOMAXPROCS(0)))
	before, begun := stage.ProcessorTime(s.process.ID()), time.Now()
	b.RunParallel(func(next *testing.PB) {
		c := <-s.idle
		defer func() { s.idle <- c }()
		for next.Next() {
			q := &questions[int(sent.Add(1))%len(questions)]
			if got, err := c.Send(q.request); err != nil || got != q.want {
				b.Errorf("%s: %s: got %v, %v, want %v", s.name, q.request, got, err, q.want)
				return
			}
		}
	})
	took, used := time.Since(begun), stage.ProcessorTime(s.process.ID())-before
	n := float64(b.N)
	return sample{server: s.name, class: class.Name, rate: n / took.Seconds(), cpu: float64(used.Nanoseconds()) / 1000 / n}
}

// results has the last, and so the longest, measurement of each run of each benchmark.
var results []sample

// report reports a sample, with the prefix for the names of its figures. A run begins with a single answer.
func report(b *testing.B, s sample, prefix string) {
	b.ReportMetric(0, "ns/op") // would be the reciprocal of the rate
	b.ReportMetric(s.rate, prefix+"answers/s")
	b.ReportMetric(s.cpu, prefix+"cpu-µs/op")
	for i, earlier := range slices.Backward(results) {
		if b.N > 1 && earlier.server == s.server && earlier.class == s.class {
			results[i] = s
			return
		}
	}
	results = append(results, s)
}

// start returns the scene, and ends the benchmark if there is none.
func start(b *testing.B) *scene {
	b.Helper()
	testkit.OK(b, setScene())
	return theScene
}

// BenchmarkPubd measures each class. The allocations are those of the server. With -old, another pubd answers the same
// number of requests.
func BenchmarkPubd(b *testing.B) {
	s := start(b)
	var other *server
	if *old != "" {
		other = testkit.Must(s.startPubd(*old))(b)
		defer other.stop()
		other.name = "old pubd"
	}
	for _, class := range bench.AllClasses() {
		b.Run(class.Name, func(b *testing.B) {
			s.pubd.questions(b, class)
			// What reading the counters allocates is known from reading them twice.
			objects0, bytes0, err0 := s.pubd.allocated()
			objects1, bytes1, err1 := s.pubd.allocated()
			ours := s.pubd.measure(b, class)
			objects2, bytes2, err2 := s.pubd.allocated()
			testkit.OK(b, errors.Join(err0, err1, err2))
			perAnswer := func(first, second, third float64) float64 { return max(0, third-second-(second-first)) / float64(b.N) }
			ours.allocations = perAnswer(objects0, objects1, objects2)
			var its sample
			if other != nil {
				its = other.measure(b, class) // before figures are reported, as it resets them
			}
			b.ReportAllocs()
			b.ReportMetric(ours.allocations, "allocs/op")
			b.ReportMetric(perAnswer(bytes0, bytes1, bytes2), "B/op")
			report(b, ours, "")
			if other != nil {
				report(b, its, "old-")
			}
		})
	}
}

// BenchmarkPeers measures what people would use instead, with the same pubs and questions.
func BenchmarkPeers(b *testing.B) {
	s := start(b)
	for _, peer := range []struct {
		name    string
		start   func(*scene) (*server, error)
		classes []bench.Class
	}{
		{"nginx", startNginx, bench.AllClasses()},
		{"Redis", startRedis, bench.Classes},
		{"PostgreSQL", startPostgres, bench.Classes},
	} {
		b.Run(peer.name, func(b *testing.B) {
			server, err := peer.start(s)
			if _, isMissing := errors.AsType[stage.MissingError](err); isMissing {
				fmt.Printf("%s is not measured: %v\n", peer.name, err)
				b.Skip(err)
			} else if err != nil {
				b.Fatal(err)
			}
			defer server.stop()
			testkit.OK(b, server.connect())
			for _, class := range peer.classes {
				b.Run(class.Name, func(b *testing.B) {
					its := server.questions(b, class)
					if its == nil {
						b.Skip("has no answer to such requests")
					}
					testkit.OK(b, agree(its, s.pubd.questions(b, class), s.targets[class.Name]))
					report(b, server.measure(b, class), "")
				})
			}
		})
	}
}

// agree returns an error if a peer's answers have other numbers of pubs than pubd's: 2 % more or less, as distances
// differ in their last digits. Words match differently, so that for them only the number of answers without a pub is
// compared, within 20 %.
func agree(its, want []question, targets []string) error {
	got, wanted, tolerance := 0, 0, 0.02
	for i := range its {
		a, b := its[i].pubs, want[i].pubs
		if text := queryOf(targets[i]).Get("search"); text != "*" && text != "" {
			a, b, tolerance = min(a, 1), min(b, 1), 0.2
		}
		got, wanted = got+a, wanted+b
	}
	if math.Abs(float64(got-wanted)) > tolerance*float64(wanted) {
		return fmt.Errorf("got %d pubs in %d answers, pubd has %d", got, len(its), wanted)
	}
	return nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if theScene != nil {
		theScene.close()
	}
	if len(results) > 0 && code == 0 {
		fmt.Printf("\n%s", tables(results))
	}
	os.Exit(code)
}
