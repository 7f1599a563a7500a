package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"pubd/bench/stage"
)

// wire is a request with the demo key for a target, and more header lines.
func wire(method, target string, lines ...string) string {
	head := []string{method + " " + target + " HTTP/1.1", "Host: localhost", "x-api-key: " + demo}
	return strings.Join(append(head, lines...), "\r\n") + "\r\n\r\n"
}

func lookup(uid string, lines ...string) string { return wire("GET", resource+"?pubid="+uid, lines...) }

// chunk is a body of one chunk.
func chunk(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// smugglings are streams that some parsers split in another way than others. The hidden request stands in what is a body
// by some reading; no reading makes it a second request that must be answered.
func smugglings(open, hidden string) []string {
	plain := lookup(hidden)
	length := fmt.Sprint("Content-Length: ", len(plain))
	chunked := chunk(plain)
	ended := "0\r\n\r\n" + plain
	short, long := "Content-Length: 4", fmt.Sprint("Content-Length: ", len(ended))
	coding := "Transfer-Encoding: chunked"
	var sent []string
	add := func(body string, lines ...string) {
		for _, method := range []string{"GET", "POST", "HEAD", "OPTIONS"} {
			sent = append(sent, wire(method, resource+"?pubid="+open, lines...)+body)
		}
	}
	add(plain, length)
	add(chunked, coding)
	add(ended, long, coding) // CL.TE
	add(ended, coding, long)
	add(chunked, short, coding) // TE.CL
	add(chunked, coding, short)
	for _, odd := range []string{"Transfer-Encoding : chunked", "Transfer-Encoding:\tchunked", "Transfer-Encoding: \x0bchunked", "Transfer-Encoding: xchunked",
		"Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1",
		"transfer-encoding: CHUNKED", "Transfer-Encoding:\r\n chunked", "X: y\r\n Transfer-Encoding: chunked", "X: y\nTransfer-Encoding: chunked",
		"X: y\rTransfer-Encoding: chunked", "Transfer_Encoding: chunked", "Transfer-Encoding\x00: chunked", "Transfer-Encoding: chunked\x00",
		" Transfer-Encoding: chunked", "Transfer-Encoding: \xc2\xa0chunked", "Transfer-\xc5\xbfncoding: chunked"} {
		add(ended, long, odd) // TE.TE: one that does not know the spelling reads the length
		add(chunked, fmt.Sprint("Content-Length: ", len(chunked)), odd)
		add(chunked, coding, odd)
	}
	for _, odd := range []string{"Content-Length: 0", "Content-Length: 1", "Content-Length : 0", "Content-Length: +0", "Content-Length: 0x0", "Content-Length: 0, 0",
		"Content-Length: ", "Content-Length: 1e1", "Content-Length:\r\n 0", "content-length: -1", "Content-Length: 18446744073709551616"} {
		add(plain, length, odd) // two lengths
		add(plain, odd, length)
	}
	for _, odd := range []string{"Content-Length : " + fmt.Sprint(len(plain)), "X: y\n" + length, "X: y\r" + length, "Content-Length:\r\n " + fmt.Sprint(len(plain)),
		"Content-Length: 00000" + fmt.Sprint(len(plain)), "Content-Length: " + fmt.Sprint(len(plain)) + "\x00", "X: \x00\r\n" + length,
		"Host: other\r\n" + length, "Expect: 100-continue\r\n" + length, "Connection: Content-Length\r\n" + length, "Upgrade: h2c\r\nConnection: Upgrade\r\n" + length} {
		add(plain, odd)
	}
	sent = append(sent,
		strings.ReplaceAll(lookup(open, length), "\r\n", "\n")+plain,
		strings.ReplaceAll(lookup(open, coding), "\r\n", "\n")+chunked,
		strings.Replace(lookup(open, length), "HTTP/1.1", "HTTP/1.0", 1)+plain,
		strings.Replace(lookup(open, coding), "HTTP/1.1", "HTTP/1.0", 1)+chunked,
		lookup(open, coding)+strings.Replace(chunked, "\r\n", ";x=\r\n", 1),
		lookup(open, coding)+strings.Replace(chunked, "\r\n", "\n", 1),
		lookup(open, coding)+"0x"+chunked,
		lookup(open, coding)+"-"+chunked,
		lookup(open, coding)+"fffffffffffffffff\r\n"+plain,
		wire("GET", "http://other"+resource+"?pubid="+open, length)+plain,
		// Without a body there is nothing to hide, but lines that are not what they seem.
		lookup(open+"%0d%0aX-Evil:%20yes"), lookup(open+"%0d%0a%0d%0a"+strings.ReplaceAll(plain, " ", "%20")[:20]),
		wire("GET", resource+"?pubid="+open+"&%0d%0aX-Evil:%20yes=1"), lookup(open, "X: y\r\n Host: other"), lookup(open, "X: \x00"),
		wire("GET", "http://other"+resource+"?pubid="+open), lookup(open, "Host: other"), lookup(open, "x-api-key: "+demo))
	return sent
}

// A gate is an address at which smuggling is tried.
type gate struct{ name, address string }

// gates are those of a replica: its own, and through each front that is installed.
func (b *bed) gates(ctx context.Context, r *replica) (gates []gate, missing []string, stop func(), err error) {
	gates = []gate{{"bare", r.api}}
	var running []*stage.Process
	stop = func() {
		for _, p := range running {
			p.Stop()
		}
	}
	for _, front := range []struct {
		name  string
		start func(ctx context.Context, r *replica, address string) (*stage.Process, error)
	}{{"nginx", b.nginxGate}, {"HAProxy", b.haproxyGate}} {
		address, err := stage.FreeAddress()
		if err != nil {
			return nil, nil, stop, err
		}
		p, err := front.start(ctx, r, address)
		var absent stage.MissingError
		switch {
		case errors.As(err, &absent):
			missing = append(missing, absent.Error())
		case err != nil:
			return nil, nil, stop, err
		default:
			running = append(running, p)
			gates = append(gates, gate{front.name, address})
		}
	}
	return gates, missing, stop, nil
}

func (b *bed) nginxGate(ctx context.Context, r *replica, address string) (*stage.Process, error) {
	return b.nginx(ctx, b.path("h2-nginx"), 1, r, address, fmt.Sprintf("server { listen %s; location / { proxy_pass http://api; proxy_set_header Host $host; } }", address))
}

// haproxyGateConfig shares one connection among all clients, which is where a request that was smuggled in would be met.
const haproxyGateConfig = `global
    nbthread 1
defaults
    mode http
    timeout connect 1s
    timeout client 20s
    timeout server 20s
    http-reuse always
frontend front
    bind %s
    default_backend api
backend api
    server api %s pool-max-conn 1
`

func (b *bed) haproxyGate(ctx context.Context, r *replica, address string) (*stage.Process, error) {
	program, err := stage.Tool("haproxy", "haproxy")
	if err != nil {
		return nil, err
	}
	file := b.path("h2-haproxy.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, haproxyGateConfig, address, r.api), 0o644); err != nil {
		return nil, err
	}
	return stage.Start(ctx, stage.Command(ctx, nil, program, "-db", "-f", file), syscall.SIGTERM, stage.Listening(address))
}

// smuggle sends every stream through every gate, and after each what somebody else asks, twice.
func smuggle(ctx context.Context, b *bed) (outcome, error) {
	r, err := b.serve(ctx, "h2", b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	pubs, err := pubsOfSnapshot(b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	open, hidden, other := pubs[0].UID, pubs[1].UID, pubs[2].UID
	gates, missing, stop, err := b.gates(ctx, r)
	defer stop()
	if err != nil {
		return outcome{}, err
	}
	streams := smugglings(open, hidden)
	bad, first := 0, ""
	var names []string
	for _, g := range gates {
		names = append(names, g.name)
		for _, stream := range streams {
			if ctx.Err() != nil {
				return outcome{}, ctx.Err()
			}
			problem := g.try(stream, hidden, other)
			for range 2 {
				if got, err := converse(g.address, lookup(other, "Connection: close")); problem == "" && !isLookup(got, other) {
					problem = fmt.Sprintf("the next client got %v %.300q", err, got)
				}
			}
			if problem != "" {
				bad++
				if first == "" {
					first = fmt.Sprintf(" (%s: sent %.300q: %s)", g.name, stream, problem)
				}
			}
		}
	}
	figure := fmt.Sprintf("%s: %d answered twice, wrongly, or to somebody else%s", strings.Join(names, ", "), bad, first)
	if len(missing) > 0 {
		figure += "; not tried: " + strings.Join(missing, ", ")
	}
	return outcome{n: fmt.Sprintf("%d streams, %d ways", len(streams), len(gates)), figure: figure, passed: bad == 0}, nil
}

// try tells what is wrong with what comes of a stream and a request behind it that ends the connection: one answer, then
// that of the request behind, a refusal, or the end.
func (g gate) try(stream, hidden, other string) string {
	got, err := converse(g.address, stream+lookup(other, "Connection: close"))
	if err != nil {
		return err.Error()
	}
	if bytes.Contains(got, fmt.Appendf(nil, `"UID":%q`, hidden)) || bytes.Contains(got, []byte("\r\nX-Evil:")) {
		return fmt.Sprintf("answered %.300q", got)
	}
	method, _, _ := strings.Cut(stream, " ")
	statuses, err := statusesOf(got, method)
	if err != nil {
		return fmt.Sprintf("%v in %.300q", err, got)
	}
	final := slices.DeleteFunc(statuses, func(status int) bool { return status == 100 })
	if len(final) == 0 || len(final) > 2 || len(final) == 2 && final[1] != 400 && final[1] != 200 || final[0] >= 500 && final[0] != 501 {
		return fmt.Sprintf("answered %v", final)
	}
	return ""
}

// isLookup tells whether a stream is one answer to the lookup of a pub.
func isLookup(stream []byte, uid string) bool {
	return bytes.HasPrefix(stream, []byte("HTTP/1.1 200 ")) && bytes.Count(stream, []byte("HTTP/1.1 ")) == 1 &&
		bytes.Contains(stream, fmt.Appendf(nil, `{"results":[{"UID":%q,`, uid))
}

// statusesOf splits a stream into the answers to requests of a method, the first, and GET.
func statusesOf(stream []byte, method string) (statuses []int, err error) {
	r := bufio.NewReader(bytes.NewReader(stream))
	for {
		if _, err := r.Peek(1); err == io.EOF {
			return statuses, nil
		}
		response, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			return statuses, fmt.Errorf("answer %d: %w", len(statuses)+1, err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return statuses, fmt.Errorf("body of answer %d: %w", len(statuses)+1, err)
		}
		statuses = append(statuses, response.StatusCode)
		// A server that refuses HEAD before it has understood as much sends a body.
		if next, _ := r.Peek(5); method == http.MethodHead && response.StatusCode >= 400 && len(next) > 0 && string(next) != "HTTP/" {
			return statuses, nil
		}
		if response.StatusCode != 100 {
			method = http.MethodGet
		}
	}
}

// converse sends bytes and gives all that comes back until the other side closes.
func converse(address, sent string) ([]byte, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(answerLimit))
	_, _ = io.WriteString(c, sent) // fails where it is refused before its end
	got, err := io.ReadAll(c)
	if errors.Is(err, syscall.ECONNRESET) { // bytes that it did not read make it a reset
		err = nil
	}
	return got, err
}
