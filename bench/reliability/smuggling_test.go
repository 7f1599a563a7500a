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

// chunk returns a chunked body with one chunk.
func chunk(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// smugglings returns streams that parsers may split in different ways. The hidden request is in what some of them consider a body. It must
// never be answered.
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
			sent = append(sent, wire(method, pubs+"?pubid="+open, lines...)+body)
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
		add(ended, long, odd) // TE.TE: a parser that does not know the spelling uses the length
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
		wire("GET", "http://other"+pubs+"?pubid="+open, length)+plain,
		// No body, but lines with hidden line breaks and repeated headers.
		lookup(open+"%0d%0aX-Evil:%20yes"), lookup(open+"%0d%0a%0d%0a"+strings.ReplaceAll(plain, " ", "%20")[:20]),
		wire("GET", pubs+"?pubid="+open+"&%0d%0aX-Evil:%20yes=1"), lookup(open, "X: y\r\n Host: other"), lookup(open, "X: \x00"),
		wire("GET", "http://other"+pubs+"?pubid="+open), lookup(open, "Host: other"), lookup(open, "x-api-key: "+demo))
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
	streams := smugglings(open, hidden)
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
				if problem := smuggle(address, stream, hidden, other); problem != "" {
					t.Errorf("sent %.300q: %s", stream, problem)
				}
				for range 2 { // requests of another client
					if got, err := converse(address, lookup(other, "Connection: close")); !isLookup(got, other) {
						t.Errorf("sent %.300q: the next client got %v %.300q", stream, err, got)
					}
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
