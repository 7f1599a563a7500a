package reliability

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pubd/bench/proof"
	"pubd/bench/stage"
)

// smugglings returns streams that parsers may split in different ways. The hidden request is in what some of them consider a body. It must
// never be answered.
func smugglings(t testing.TB, open, hidden string) (sent []string) {
	t.Helper()
	plain := lookup(hidden)
	values := map[string]string{"plain": plain, "chunked": fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(plain), plain), "ended": "0\r\n\r\n" + plain, "url": pubs + "?pubid=" + open}
	add := func(body string, lines ...string) {
		for _, method := range []string{"GET", "POST", "HEAD", "OPTIONS"} {
			sent = append(sent, fill(wire(method, values["url"], lines...)+body, values))
		}
	}
	const coding, length = "Transfer-Encoding: chunked", "Content-Length: {{len .plain}}"
	for _, row := range table(t, "smugglings.txt") {
		switch row[0] {
		case "raw":
			sent = append(sent, fill(row[1], values))
		case "odd coding":
			add("{{.ended}}", "Content-Length: {{len .ended}}", row[1]) // TE.TE: a parser that does not know the spelling uses the length
			add("{{.chunked}}", "Content-Length: {{len .chunked}}", row[1])
			add("{{.chunked}}", coding, row[1])
		case "odd length":
			add("{{.plain}}", length, row[1])
			add("{{.plain}}", row[1], length)
		default:
			add(row[0], row[1:]...)
		}
	}
	return sent
}

// sharingConfig makes HAProxy share one connection among all clients, so that a smuggled request would affect the next client.
const sharingConfig = `global
    nbthread 1
defaults
    mode http
    timeout connect 1s
    timeout client 20s
    timeout server 20s
    http-reuse always
frontend front
    bind {address}
    default_backend api
backend api
    server api %s pool-max-conn 1
`

func TestH2(t *testing.T) {
	quickRow(t, "request smuggling: bodies with lengths and codings that parsers read in different ways; bare, through nginx, and through HAProxy",
		"rejected, or one answer; none out of a body, none for another client")
	d := usual(t)
	r := serve(t, d.snapshots[0], built()...)
	open, hidden, other := d.pubs[0].UID, d.pubs[1].UID, d.pubs[2].UID
	streams := smugglings(t, open, hidden)
	ways := 0
	for name, start := range map[string]func(t *testing.T) (address string){
		"bare": func(*testing.T) string { return r.API },
		"nginx": func(t *testing.T) string {
			const server = "server { listen {address}; location / { proxy_pass http://api; proxy_set_header Host $host; } }"
			return startProxy(t, "nginx", stage.NginxConfig(1, 0, fmt.Sprintf(toAPI, r.API, server)))
		},
		"HAProxy": func(t *testing.T) string {
			return startProxy(t, "haproxy", fmt.Sprintf(sharingConfig, r.API))
		},
	} {
		t.Run(name, func(t *testing.T) {
			address := start(t)
			ways++
			for _, stream := range streams {
				problem := smuggle(address, stream, hidden, other)
				failIf(t, problem != "", "sent %.300q: %s", stream, problem)
				for range 2 { // requests of another client
					got, err := converse(address, lookup(other, "Connection: close"))
					failIf(t, !isLookup(got, other), "sent %.300q: the next client got %v %.300q", stream, err, got)
				}
			}
		})
	}
	proof.Figure(t, fmt.Sprintf("%d streams, %d ways", len(streams), ways), "0 answered twice, wrongly, or to another client")
}

// smuggle sends a stream and then a request that closes the connection. It returns what is wrong with the responses, or "": right are one
// response followed by that to the second request, a rejection, or nothing.
func smuggle(address, stream, hidden, other string) string {
	got, err := converse(address, stream+lookup(other, "Connection: close"))
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

// isLookup reports whether a stream is one response to the lookup of a pub.
func isLookup(stream []byte, uid string) bool {
	return bytes.HasPrefix(stream, []byte("HTTP/1.1 200 ")) && bytes.Count(stream, []byte("HTTP/1.1 ")) == 1 &&
		bytes.Contains(stream, fmt.Appendf(nil, `{"results":[{"UID":%q,`, uid))
}
