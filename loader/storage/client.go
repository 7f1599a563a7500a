package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"

	"pubd/loader"
	"pubd/loader/disk"
)

// ErrUnchanged means that a file is still the version that the caller has.
var ErrUnchanged = errors.New("is unchanged")

// An Unreachable error is about the storage of a file, not its content: retrying later may help.
type Unreachable struct {
	Location Location
	Err      error
}

func (e *Unreachable) Error() string { return fmt.Sprintf("%s: %v", e.Location, e.Err) }
func (e *Unreachable) Unwrap() error { return e.Err }

// Options configure a client.
type Options struct {
	// Patience is how long a server may take to begin its response, and then to send the next bytes.
	Patience time.Duration
}

// A Client reads files from any location. It is safe for concurrent use.
type Client struct {
	patience time.Duration
	http     http.Client
	s3       func() (*bucketClient, error)
}

// maxRedirects is the maximum number of redirects, all on one host.
const maxRedirects = 5

// NewClient returns a client. It does not connect yet.
func NewClient(options Options) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = options.Patience
	transport.DisableCompression = true // limits and checks apply to the bytes as sent
	transport.MaxResponseHeaderBytes = 64 << 10
	c := &Client{patience: options.Patience,
		http: http.Client{Transport: transport, CheckRedirect: staysOnHost}}
	c.s3 = sync.OnceValues(func() (*bucketClient, error) { return newBucketClient(transport) })
	return c
}

// staysOnHost rejects a redirect to another host or scheme, which could probe this network from inside.
func staysOnHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if len(before) > maxRedirects {
		return fmt.Errorf("redirects more than %d times", maxRedirects)
	}
	if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme {
		return fmt.Errorf("redirects to %s, must stay on %s://%s: give the address that it redirects to",
			visible(next.URL.String()), first.Scheme, first.Host)
	}
	return nil
}

// A Request says what to read of a file.
type Request struct {
	// Known is the version that the caller has: if the file is still that version, the error is ErrUnchanged.
	Known string
	// Offset is where to begin. A server that does not support ranges sends the whole file, as does one whose file ends
	// there or before; one that sends something else is asked for the whole file.
	Offset int64
}

// An Object is an open file.
type Object struct {
	io.ReadCloser
	// Offset is where it begins.
	Offset int64
	// Size is the size of the whole file; -1 if unknown.
	Size int64
	// Version changes with the content; empty if unknown.
	Version string
}

// Open opens a file. If it does not exist, the error is [fs.ErrNotExist]. Reading fails once the context has ended, or
// if nothing arrives for as long as Options.Patience.
func (c *Client) Open(ctx context.Context, l Location, r Request) (*Object, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	impatience := time.AfterFunc(c.patience, func() { cancel(fmt.Errorf("sent nothing for %v", c.patience)) })
	open := c.openFile
	switch {
	case l.web != nil:
		open = c.openWeb
	case l.bucket != "":
		open = c.openBucket
	}
	object, err := open(ctx, l, r)
	if err != nil {
		impatience.Stop()
		cancel(nil)
		return nil, c.explain(ctx, l, err)
	}
	object.ReadCloser = &guarded{object.ReadCloser, c, ctx, cancel, impatience, l}
	return object, nil
}

// explain adds the location to an error and removes what may be secret.
func (c *Client) explain(ctx context.Context, l Location, err error) error {
	if cause := context.Cause(ctx); cause != nil && cause != context.Canceled && errors.Is(err, context.Canceled) {
		err = cause
	}
	// Both repeat the URL, including its query.
	if web := new(url.Error); errors.As(err, &web) {
		err = web.Err
	}
	err = loader.Bare(err)
	switch {
	case errors.Is(err, ErrUnchanged):
		return err
	case errors.Is(err, fs.ErrNotExist):
		err = fs.ErrNotExist
	}
	return &Unreachable{Location: l, Err: err}
}

// guarded is a body that is read with a limited idle time.
type guarded struct {
	body       io.ReadCloser
	client     *Client
	ctx        context.Context
	cancel     context.CancelCauseFunc
	impatience *time.Timer
	location   Location
}

// Read implements io.Reader.
func (g *guarded) Read(p []byte) (int, error) {
	g.impatience.Reset(g.client.patience)
	n, err := g.body.Read(p)
	g.impatience.Stop()
	if err != nil && err != io.EOF {
		err = g.client.explain(g.ctx, g.location, err)
	}
	return n, err
}

// Close implements io.Closer.
func (g *guarded) Close() error {
	g.impatience.Stop()
	g.cancel(nil)
	return g.body.Close()
}

// openFile opens a local file.
func (c *Client) openFile(_ context.Context, l Location, r Request) (*Object, error) {
	file, info, err := disk.Open(l.file)
	if err != nil {
		return nil, err
	}
	if err = ErrUnchanged; versionOf(info) != r.Known {
		_, err = file.Seek(r.Offset, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Object{ReadCloser: file, Offset: r.Offset, Size: info.Size(), Version: versionOf(info)}, nil
}

// versionOf returns the version of a local file. It changes if the file is written to or replaced.
func versionOf(info fs.FileInfo) string {
	var inode, change int64
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		inode, change = int64(stat.Ino), stat.Ctim.Nano()
	}
	return fmt.Sprintf("%d-%d-%d-%d", info.Size(), info.ModTime().UnixNano(), inode, change)
}

// FileVersion returns the version of a local file, as in [Client.Open].
func FileVersion(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return versionOf(info), nil
}

// ReadAll reads a whole file. It is an error if it is larger than most bytes.
func (c *Client) ReadAll(ctx context.Context, l Location, known string,
	most int64) (content []byte, version string, err error) {
	object, err := c.Open(ctx, l, Request{Known: known})
	if err != nil {
		return nil, "", err
	}
	defer object.Close()
	if object.Size > most {
		return nil, "", tooLarge(l, most)
	}
	content, err = io.ReadAll(io.LimitReader(object, most+1))
	switch {
	case err != nil:
		return nil, "", err
	case int64(len(content)) > most:
		return nil, "", tooLarge(l, most)
	case object.Size >= 0 && object.Size != int64(len(content)):
		return nil, "", &Unreachable{l, io.ErrUnexpectedEOF}
	}
	return content, object.Version, nil
}

// ErrTooLarge means that a file has more bytes than are allowed.
var ErrTooLarge = errors.New("which is the limit")

func tooLarge(l Location, most int64) error {
	return fmt.Errorf("%s: is larger than %d bytes, %w", loader.Visible(l.String()), most, ErrTooLarge)
}
