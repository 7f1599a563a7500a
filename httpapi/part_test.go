package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/httpapi/keys"
	"pubd/httpapi/web"
	"pubd/index"
)

// A disk is the content of a large file, which may fail.
type disk struct {
	content []byte
	fails   error
}

func (d *disk) ReadAt(p []byte, offset int64) (int, error) {
	if d.fails != nil {
		return 0, d.fails
	}
	return bytes.NewReader(d.content).ReadAt(p, offset)
}

const largePath, largeTag = "/explorer/large.bin", `"0123456789abcdef"`

// A withFile is web pages and one more file.
type withFile struct {
	web.Pages
	file web.File
}

func (w withFile) Files(key string, served *index.Snapshot) []web.File {
	return append(w.Pages.Files(key, served), w.file)
}

// install adds a large file of the given size to the pages of a service.
func install(s *Service, pages web.Pages, size int) {
	large := &web.LargeFile{ReaderAt: bytes.NewReader(make([]byte, size)), Size: int64(size), ETag: `"1"`}
	s.site = web.NewSite(withFile{pages, web.File{Path: "/large", Large: large}}, openAPIOf, s.logUnusable)
}

// An onlyFile is web pages of one file.
type onlyFile struct{ web.File }

func (f onlyFile) Files(string, *index.Snapshot) []web.File { return []web.File{f.File} }

func (onlyFile) Render([]byte, web.PageRequest, *index.Snapshot, *index.Workspace) web.Page {
	return web.Page{Status: 404}
}

// withLargeFile returns a service with one large file.
func withLargeFile(size int) (*Service, *disk, *testkit.Output) {
	d := &disk{content: make([]byte, size)}
	for i := range d.content {
		d.content[i] = byte(i / 7)
	}
	log := new(testkit.Output)
	file := web.File{Path: largePath, MediaType: "application/octet-stream", Large: &web.LargeFile{ReaderAt: d, Size: int64(size), ETag: largeTag}}
	return New(Config{WebPages: onlyFile{file}, Log: zerolog.New(log)}), d, log
}

func TestParts(t *testing.T) {
	const size = 3 << 20
	s, d, _ := withLargeFile(size)
	addr := listen(t, s)
	for _, test := range []struct {
		sent string // the values of headers
		want string // the status, and what is sent
	}{
		{"Range: bytes=0-0", "206 bytes 0-0/3145728"},
		{"Range: bytes=0-16383", "206 bytes 0-16383/3145728"},
		{"Range: bytes=16384-1064959", "206 bytes 16384-1064959/3145728"},
		{"range: Bytes= 5-9 ", "206 bytes 5-9/3145728"},
		{"Range: bytes=3145727-", "206 bytes 3145727-3145727/3145728"},
		{"Range: bytes=3145720-99999999999999999999999999", "206 bytes 3145720-3145727/3145728"},
		{"Range: bytes=-3", "206 bytes 3145725-3145727/3145728"},
		{"Range: bytes=7-", "206 bytes 7-1048582/3145728"},           // cut short
		{"Range: bytes=0-3145727", "206 bytes 0-1048575/3145728"},    // cut short
		{"Range: bytes=-99999999999", "206 bytes 0-1048575/3145728"}, // cut short
		{"Range: bytes=1-2\r\nIf-Range: " + largeTag, "206 bytes 1-2/3145728"},
		{"Range: bytes=1-2\r\nIf-Match: " + largeTag, "206 bytes 1-2/3145728"},
		{`Range: bytes=1-2` + "\r\n" + `If-None-Match: "other"`, "206 bytes 1-2/3145728"},
		{"Range: bytes=3145728-", "416 bytes */3145728"},
		{"Range: bytes=3145728-3145729", "416 bytes */3145728"},
		{"Range: bytes=99999999999999999999-", "416 bytes */3145728"},
		{"Range: bytes=-0", "416 bytes */3145728"},
		{`Range: bytes=1-2` + "\r\n" + `If-Range: "other"`, "416 bytes */3145728"},
		{"Range: bytes=1-2\r\nIf-Range: W/" + largeTag, "416 bytes */3145728"},
		{"Range: bytes=1-2\r\nIf-Range: Thu, 26 Nov 2026 16:00:00 GMT", "416 bytes */3145728"},
		{"Accept: */*", "400"},
		{"Range: bytes=0-1,5-6", "400"},
		{"Range: bytes=2-1", "400"},
		{"Range: bytes=", "400"},
		{"Range: bytes=-", "400"},
		{"Range: bytes=--1", "400"},
		{"Range: bytes=1", "400"},
		{"Range: bytes=a-b", "400"},
		{"Range: bytes=+1-2", "400"},
		{"Range: bytes=99999999999999999999x-", "400"},
		{"Range: pages=0-1", "400"},
		{"Range: 0-1", "400"},
		{"Range:", "400"},
		{"Range: bytes=1-2\r\nIf-Match: \"other\"", "412"},
		{"Range: bytes=1-2\r\nIf-None-Match: " + largeTag, "304"},
		{"If-None-Match: *", "304"},
	} {
		got := send(t, addr, request11("GET", largePath, test.sent))
		span := got.header.Get("Content-Range")
		testkit.Equal(t, "answer to "+test.sent, strings.TrimSpace(fmt.Sprint(got.status, " ", span)), test.want)
		if got.status < 400 {
			testkit.Equal(t, "ETag after "+test.sent, got.header.Get("ETag"), largeTag)
			testkit.Equal(t, "Cache-Control after "+test.sent, got.header.Get("Cache-Control"), "no-cache")
			testkit.Equal(t, "Accept-Ranges after "+test.sent, got.header.Get("Accept-Ranges"), "bytes")
		}
		if got.status == 206 {
			var first, last, whole int
			testkit.Must(fmt.Sscanf(span, "bytes %d-%d/%d", &first, &last, &whole))(t)
			testkit.FailIf(t, got.body != string(d.content[first:last+1]), "%s: got %d other bytes", test.sent, len(got.body))
			testkit.Equal(t, "Content-Length after "+test.sent, got.header.Get("Content-Length"), fmt.Sprint(last+1-first))
			testkit.Equal(t, "Content-Type after "+test.sent, got.header.Get("Content-Type"), "application/octet-stream")
		}
	}
}

// HEAD tells the size; Range has no meaning for it.
func TestHeadOfLargeFile(t *testing.T) {
	s, _, _ := withLargeFile(3 << 20)
	for _, header := range []string{"Accept: */*", "Range: bytes=0-9", "Range: bytes=9999999-"} {
		got := answers(t, converse(t, listen(t, s), request11("HEAD", largePath, header), true), "HEAD")[0]
		testkit.Equal(t, "answer to HEAD with "+header, fmt.Sprint(got.status, got.header.Get("Content-Length"), got.header.Get("Accept-Ranges"), got.header.Get("ETag")),
			"2003145728bytes"+largeTag)
	}
}

// A part counts among the bytes in flight of its address, and is not read when there is no room.
func TestPartsDemand(t *testing.T) {
	s, d, log := withLargeFile(3 << 20)
	d.fails = errors.New("read")
	x := newExchange("")
	x.service = s
	x.Request = Request{Method: []byte("GET"), Path: []byte(largePath), Range: []byte("bytes=5-"), Peer: netip.MustParseAddr("192.0.2.1")}
	asked := 0
	x.Handle(waiting(func(got Demand) {
		asked++
		testkit.Equal(t, "demand", got, Demand{Client: keys.ClientAt(netip.MustParseAddr("192.0.2.1")), Visitor: true, Turn: FileTurn, Bytes: 1 << 20})
	}))
	testkit.Equal(t, "asked", asked, 1)
	testkit.Equal(t, "status", x.Response.Status, 503)
	testkit.Equal(t, "log", log.String(), "")
}

// What cannot be read is answered with an error and logged once, until it can be read again.
func TestUnreadableLargeFile(t *testing.T) {
	s, d, log := withLargeFile(1000)
	addr := listen(t, s)
	statuses := func() (list []int) {
		for range 3 {
			list = append(list, send(t, addr, request11("GET", largePath, "Range: bytes=0-9")).status)
		}
		return list
	}
	for range 2 {
		d.fails = errors.New("the file has changed")
		testkit.Equal(t, "statuses", statuses(), []int{500, 500, 500})
		d.fails = nil
		testkit.Equal(t, "statuses", statuses(), []int{206, 206, 206})
	}
	testkit.Equal(t, "log lines", strings.Count(log.String(), `"error":"the file has changed","message":"file cannot be read"`), 2)
	d.content = d.content[:5] // shorter than it was
	testkit.Equal(t, "statuses", statuses(), []int{500, 500, 500})
}
