// Package serve has the commands that serve a snapshot, and that build its index file.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/hangup"
	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/httpapi/ops"
	"pubd/httpapi/web/basemap"
	"pubd/httpapi/web/explorer"
	"pubd/httpapi/web/face"
	"pubd/httpapi/web/pages"
	"pubd/httpapi/wire"
	"pubd/index/hours"
	"pubd/loader/fetch"
	"pubd/loader/fetch/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// Command is pubd serve.
type Command struct {
	File string `arg:"" optional:"" name:"source" predictor:"file" help:"The same as --data."`

	Data           string `group:"data" placeholder:"SOURCE" predictor:"file" help:"A snapshot, an index file of pubd build, or a manifest of pubd publish: a file, https://… or s3://bucket/key. Default: the embedded sample."`
	Cache          string `group:"data" placeholder:"DIR" predictor:"file" help:"Keep built and downloaded indexes here: the next start opens them instantly, even when a source on another machine is unreachable."`
	MaxBadRows     int    `group:"data" default:"0" placeholder:"N" help:"Skip up to this many wrong rows of a snapshot (${default})."`
	cli.PlacesFlag `group:"data"`
	cli.FacetFlag  `group:"data"`
	Refresh        *time.Duration `group:"data" placeholder:"D" help:"How often to check for new data and keys, give or take a tenth; 0 checks only on request. Default: 30s for manifests and remote sources, otherwise 0."`
	Trust          []string       `group:"data" placeholder:"KEY" predictor:"file" help:"Accept only manifests signed with one of these public keys, from pubd publish keygen or minisign: the key itself or its file. Only --cache remembers over a restart which manifests are old."`
	MaxShrink      float64        `group:"data" default:"20" placeholder:"PERCENT" help:"Reject a reload that loses a larger share of the pubs than this (${default}); 100 turns the check off."`
	KeepFor        time.Duration  `group:"data" default:"10m" placeholder:"D" help:"How long clients can still request a replaced snapshot by its ID (${default})."`

	cli.FeaturesFlag `group:"api"`
	TimeZone         string    `group:"api" placeholder:"ZONE" help:"Time zone of the opening hours of pubs that have none of their own, such as Europe/London. Default: that of this machine."`
	Listen           string    `group:"api" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the API (${default})."`
	Keys             string    `group:"api" placeholder:"SOURCE" predictor:"file" help:"The key file, from any kind of source that --data has. Without it, the only key is demo, and only loopback is served."`
	MaxUnpaged       int       `group:"api" default:"1000" placeholder:"N" help:"Page size of a distance search without amount (${default}); 0 is no limit."`
	TrustedProxies   []network `group:"api" placeholder:"CIDR" help:"Networks of the load balancers in front, separated by commas: the address that they append to X-Forwarded-For is the client, in logs and for its share."`
	Tiles            string    `group:"api" placeholder:"URL" help:"Map tiles for the explorer, such as https://tile.example.org/{z}/{x}/{y}.png; after a space their attribution, such as © OpenStreetMap contributors, by default their host. Without tiles, the pages make no third-party requests."`
	Basemap          string    `group:"api" placeholder:"FILE" predictor:"file" help:"Map with streets for the explorer, instead of tiles: a PMTiles file on a local disk, in the schema of Protomaps or OpenMapTiles. Read as it was at the start."`

	PublicPages bool   `group:"api" help:"Let anyone see the pages of pubs and places without a key, as a public key does."`
	PublicURL   string `group:"api" placeholder:"URL" help:"Scheme and host of this service in links for search engines, such as https://pubs.example.org. Default: those of the request."`

	Title       string `group:"face" placeholder:"TEXT" help:"Name of the site on its pages, of at most 60 characters. Default: the plural of the noun."`
	Logo        string `group:"face" placeholder:"FILE" predictor:"file" help:"A logo beside the name, which is the icon, too: SVG, PNG or WebP, at most 200 KB."`
	Accent      string `group:"face" placeholder:"COLOUR" help:"Colour of links and buttons, such as #1a6b3c; made darker or lighter where it could not be read."`
	Language    string `group:"face" default:"en" enum:"en,de,fr,es,cs" placeholder:"en|de|fr|es|cs" help:"Language of the pages (${default})."`
	Noun        string `group:"face" placeholder:"SINGULAR,PLURAL" help:"What the directory lists, such as brewery,breweries. Default: pub,pubs, in the language."`
	Corrections string `group:"face" placeholder:"URL" help:"Where people suggest a correction of a pub, whose UID takes the place of {uid}, such as https://example.org/correct?pub={uid} or mailto:pubs@example.org?subject={uid}."`

	Admin      string            `group:"operation" default:"127.0.0.1:8081" placeholder:"ADDR" help:"Address of health and metrics (${default}); empty turns them off."`
	Pprof      bool              `group:"operation" help:"Serve profiles at /debug/pprof/ on the admin address."`
	DrainDelay time.Duration     `group:"operation" default:"10s" placeholder:"D" help:"How long to keep serving, unready, after SIGTERM (${default})."`
	AccessLog  httpapi.AccessLog `group:"operation" default:"errors" enum:"off,errors,all" placeholder:"off|errors|all" help:"Which requests are logged (${default})."`
	LogEmpty   bool              `group:"operation" help:"Log the text of each search that finds nothing, without its key or address."`

	dataAt, keysAt storage.Location
	timeZone       *time.Location
	trusted        []manifest.PublicKey
}

// Groups are the titles of the groups of flags.
var Groups = kong.Groups{"data": "The snapshot", "api": "The API", "face": "The pages", "operation": "Operation"}

// fileTimeout is the time limit for reading the snapshot or the key file. It is a string so that tests can link
// another one.
var fileTimeout = "1m"

// readLimit returns fileTimeout.
func readLimit() time.Duration {
	limit, err := time.ParseDuration(fileTimeout)
	if err != nil {
		panic(err)
	}
	return limit
}

// keepSnapshots is how many snapshots clients can request by ID, including the current one.
const keepSnapshots = 2

// Validate implements kong's check of a command's flags.
func (c *Command) Validate() error {
	switch {
	case c.MaxUnpaged < 0 || c.MaxUnpaged > math.MaxInt32:
		return fmt.Errorf("--max-unpaged %d: must be from 0 to %d", c.MaxUnpaged, math.MaxInt32)
	case c.KeepFor < 0:
		return fmt.Errorf("--keep-for %v: must be 0 or more", c.KeepFor)
	case c.MaxBadRows < 0:
		return fmt.Errorf("--max-bad-rows %d: must be 0 or more", c.MaxBadRows)
	case c.Refresh != nil && *c.Refresh != 0 && *c.Refresh < minRefresh:
		return fmt.Errorf("--refresh %v: must be 0, or %v or more", *c.Refresh, minRefresh)
	case c.DrainDelay < 0:
		return fmt.Errorf("--drain-delay %v: must be 0 or more", c.DrainDelay)
	case !(0 <= c.MaxShrink && c.MaxShrink <= 100):
		return fmt.Errorf("--max-shrink %v: must be from 0 to 100", c.MaxShrink)
	}
	if c.PublicURL != "" && !publicURL.MatchString(c.PublicURL) {
		return fmt.Errorf("--public-url %s: must be scheme and host, such as https://pubs.example.org", c.PublicURL)
	}
	if c.Basemap != "" && c.Tiles != "" {
		return fmt.Errorf("--basemap %s: must not be given beside --tiles %s", c.Basemap, c.Tiles)
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	if c.File != "" && c.Data != "" {
		return fmt.Errorf("%s: must not be given beside --data %s", c.File, c.Data)
	}
	c.Data = cmp.Or(c.Data, c.File)
	var err error
	if c.Data != "" {
		if c.dataAt, err = storage.Parse(c.Data); err != nil {
			return fmt.Errorf("--data %w", err)
		}
	}
	if c.Keys != "" {
		if c.keysAt, err = storage.Parse(c.Keys); err != nil {
			return fmt.Errorf("--keys %w", err)
		}
	}
	if c.timeZone = time.Local; c.TimeZone != "" {
		if c.timeZone, err = hours.Zone(c.TimeZone); err != nil {
			return fmt.Errorf("--time-zone %s: must be a name such as Europe/London", c.TimeZone)
		}
	}
	for _, text := range c.Trust {
		key, err := manifest.ParsePublicKey(text)
		if err != nil {
			return fmt.Errorf("--trust %w", err)
		}
		c.trusted = append(c.trusted, key)
	}
	return c.FacetFlag.Validate()
}

// publicURL is the form of --public-url: its characters need no escape in any link.
var publicURL = regexp.MustCompile(`^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?/?$`)

// minRefresh bounds the load of replicas on their source.
const minRefresh = 100 * time.Millisecond

// Large responses in flight may take 1/inFlightShare of the memory limit, and connections 1/connectionShare.
const (
	inFlightShare   = 8
	connectionShare = 8
	// connectionSize is the memory of an idle connection, 13 KB measured with 10,000 of them, rounded up; one with a
	// partly read request takes another buffer of 16 KiB.
	connectionSize = 16 << 10
	// maxInFlight is the limit of large responses without a memory limit.
	maxInFlight = 256 << 20
)

// ownHandles is how many file descriptors the program needs besides those of connections: the standard streams (3),
// the poller of the Go runtime (2), the two listeners, a data and a key file being read, the map, mapped index files (4
// or so), and some that libraries open for a moment.
const ownHandles = 20

// clientLimits returns how many bytes of large responses may be in flight, and how many connections may be open, 0 for
// no limit, given a memory limit in bytes.
func clientLimits(memory int64) (inFlight int64, connections int) {
	if memory == math.MaxInt64 {
		return maxInFlight, 0
	}
	return memory / inFlightShare, int(max(1, memory/connectionShare/connectionSize))
}

// A program is a running server.
type program struct {
	*Command
	log, out *logSink
	err      io.Writer
	service  *httpapi.Service
}

// finishing is how long active requests may take after the program stopped listening.
const finishing = 20 * time.Second

// Run serves until SIGTERM, SIGINT or the end of the context, drains and returns without an error. A second signal
// ends it immediately; so does the first one before it listens, whatever it is waiting for.
func (c *Command) Run(ctx context.Context, t cli.Terminal) error {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	signal.Ignore(syscall.SIGPIPE) // a log reader that went away must not end the server

	log := newLogSink(cli.AboveBar(t.Err))
	defer log.flush()
	listening, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- c.serve(ctx, t, log, signals, listening) }()
	select {
	case err := <-ended:
		return err
	case <-listening:
		return <-ended
	case <-signals:
	case <-ctx.Done():
	}
	log.Info().Msg("stopped")
	return nil
}

// serve closes listening when it does, and from then on reads the signals.
func (c *Command) serve(ctx context.Context, t cli.Terminal, log *logSink, signals <-chan os.Signal, listening chan<- struct{}) error {
	memory := worker.LimitMemory()
	var streets *basemap.File
	if c.Basemap != "" {
		var err error
		if streets, err = basemap.Open(c.Basemap); err != nil {
			return fmt.Errorf("--basemap %w", err)
		}
		defer streets.Close()
	}
	webPages, err := c.webPages(streets)
	if err != nil {
		return err
	}
	p := &program{Command: c, log: log, out: newSink(t.Out), err: t.Err}
	defer p.out.flush()
	inFlight, connections := clientLimits(memory)
	vocabulary, err := c.Vocabulary()
	if err != nil {
		return err
	}
	p.service = httpapi.New(httpapi.Config{MaxUnpaged: c.MaxUnpaged, Features: vocabulary, TimeZone: c.timeZone, MaxExported: inFlight, KeepFor: c.KeepFor, WebPages: webPages, PublicPages: c.PublicPages, PublicURL: c.PublicURL, Demo: c.Keys == "", AccessLog: c.AccessLog, LogEmpty: c.LogEmpty, Log: log.Logger, TrustedProxies: prefixes(c.TrustedProxies)})
	loading, stopLoading := context.WithCancelCause(context.Background())
	defer stopLoading(errors.New("the server ended"))
	keyPoller, dataFeed := c.keyPoller(log, p.service), c.dataFeed(t, log, p.service)
	loaded := make(chan error, 1)
	go keyPoller.Run(loading, loaded)
	if err := <-loaded; err != nil {
		return err
	}
	reload := func(acceptShrink bool) {
		keyPoller.Request()
		dataFeed.Request(fetch.Request{AcceptShrink: acceptShrink})
	}
	api, admin, err := c.open()
	if err != nil {
		return err
	}
	close(listening)
	failed := make(chan error, 2)
	server := wire.New(p.service, wire.Config{MaxInFlight: inFlight, MaxConnections: connections, SpareHandles: ownHandles + 2*ops.MaxConnections})
	go func() { failed <- server.Serve(api) }()
	if admin != nil {
		host, _, _ := net.SplitHostPort(c.Admin)
		release := cli.ThisRelease()
		adminServer := ops.New(p.service, ops.Config{Hosts: []string{host}, Pprof: c.Pprof, Reload: reload, Traffic: server.Traffic,
			Version: release.Version, Commit: release.Commit, Go: release.Go, Log: log.Logger})
		adminServer.Register(log.dropped)
		defer adminServer.Close()
		go func() { failed <- adminServer.Serve(admin) }()
	}

	go dataFeed.Run(loading, loaded)
	go func() {
		for {
			select {
			case <-hangup.Signals:
				reload(false)
			case <-loading.Done():
				return
			}
		}
	}()
	for {
		select {
		case err := <-loaded:
			if err != nil {
				return err
			}
			p.announce(api, admin)
		case err := <-failed:
			return err
		case received := <-signals:
			return p.drain(ctx, server, p.delay(received), signals)
		case <-ctx.Done():
			return p.drain(ctx, server, 0, signals)
		}
	}
}

// webPages returns the web pages, with streets on the map unless they are nil. Without a key file, they offer the demo
// key.
func (c *Command) webPages(streets *basemap.File) (*pages.Pages, error) {
	tiles, attribution, _ := strings.Cut(c.Tiles, " ")
	look, err := face.New(face.Options{Title: c.Title, Logo: c.Logo, Accent: c.Accent, Language: c.Language, Noun: c.Noun, Corrections: c.Corrections})
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	settings := explorer.Settings{Tiles: tiles, Attribution: attribution, Basemap: streets, Face: look}
	if c.Keys == "" {
		settings.Key = keys.DemoSecret
	}
	e, err := explorer.New(settings)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return pages.New(look, e), nil
}

// open opens the listeners; admin is nil if it is disabled.
func (c *Command) open() (api, admin net.Listener, err error) {
	for _, listener := range []struct {
		flag, address string
		to            *net.Listener
	}{{"--listen", c.Listen, &api}, {"--admin", c.Admin, &admin}} {
		if listener.address == "" && listener.to == &admin {
			continue
		}
		host, _, err := net.SplitHostPort(listener.address)
		if err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", listener.flag, listener.address, err)
		}
		if c.Keys == "" && !storage.IsLoopback(host) {
			return nil, nil, fmt.Errorf("%s %s: without --keys the only key is demo, and only loopback may be served: make a key with pubd keys add",
				listener.flag, listener.address)
		}
		if *listener.to, err = net.Listen("tcp", listener.address); err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", listener.flag, listener.address, err)
		}
	}
	return api, admin, nil
}

// announce logs the addresses, and prints what to open or paste if there is only the demo key.
func (p *program) announce(api, admin net.Listener) {
	release := cli.ThisRelease()
	line := p.log.Info().Str("version", release.Version).Str("commit", release.Commit).Stringer("listen", api.Addr())
	if admin != nil {
		line = line.Stringer("admin", admin.Addr())
	}
	line.Str("time_zone", cmp.Or(p.TimeZone, time.Now().Format("MST -07:00"))).Msg("serving")
	if p.Keys == "" {
		fmt.Fprintf(p.out, "pubd is serving %d pubs: open http://%s/ in a browser\nor:   curl -H 'x-api-key: demo' 'http://%s/api/v1/pubs/?search=red+lion&amount=3'\n",
			p.service.Readiness().Pubs, api.Addr(), api.Addr())
	}
}

// delay returns how long to keep serving after a signal: until load balancers have noticed. They have sent no requests
// before there was data, and someone who types ^C does not wait for them.
func (p *program) delay(received os.Signal) time.Duration {
	if !p.service.Readiness().Ready || received == syscall.SIGINT && cli.IsTerminal(p.err) {
		return 0
	}
	return p.DrainDelay
}

// drain keeps serving, unready, for some time. Then it stops listening and waits for active requests.
func (p *program) drain(ctx context.Context, server *wire.Server, delay time.Duration, signals <-chan os.Signal) error {
	p.service.Drain()
	p.log.Info().Stringer("delay", delay).Msg("draining")
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
		limit, cancel := context.WithTimeout(context.Background(), finishing)
		defer cancel()
		if err := server.Shutdown(limit); err != nil {
			p.log.Warn().Err(err).Msg("requests were cut off")
		}
	}()
	for {
		select {
		case <-done:
			p.log.Info().Msg("stopped")
			return nil
		case <-signals:
			p.log.Warn().Msg("stopped by a second signal")
			return cli.ErrReported
		}
	}
}
