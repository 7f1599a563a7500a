package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"pubd/bench/stage"
)

// A proxy is HAProxy in front of replicas.
type proxy struct {
	*stage.Process
	address, socket string // of the API, and of its statistics
}

// haproxyConfig asks each replica five times a second whether it is ready, and believes it at once. An answer that is
// slow is no reason to leave a replica out. A request is sent again only where no connection could be made.
//
// The load compares names of headers as pubd writes them; HAProxy writes all in lower case unless told.
const haproxyConfig = `global
    maxconn 1000
    stats socket %s mode 600 level user
    h1-case-adjust connection Connection
    h1-case-adjust content-length Content-Length
    h1-case-adjust x-snapshot X-Snapshot

defaults
    mode http
    timeout connect 1s
    timeout client 60s
    timeout server 20s
    timeout check 2s
    retries 3
    option redispatch
    http-reuse safe

frontend api
    bind %s
    option h1-case-adjust-bogus-client
    default_backend pubd

backend pubd
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 200ms fall 1 rise 1
`

// proxy starts HAProxy in front of replicas and waits until it sends them requests.
func (b *bed) proxy(ctx context.Context, replicas []*replica) (*proxy, error) {
	program, err := stage.Tool("haproxy", "haproxy")
	if err != nil {
		return nil, err
	}
	p := &proxy{socket: b.path("haproxy.sock")}
	if p.address, err = stage.FreeAddress(); err != nil {
		return nil, err
	}
	var config strings.Builder
	fmt.Fprintf(&config, haproxyConfig, p.socket, p.address)
	for _, r := range replicas {
		_, port, err := net.SplitHostPort(r.admin)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&config, "    server %s %s port %s\n", r.api, r.api, port)
	}
	file := b.path("haproxy.conf")
	if err := os.WriteFile(file, []byte(config.String()), 0o644); err != nil {
		return nil, err
	}
	p.Process, err = stage.Start(ctx, stage.Command(ctx, nil, program, "-f", file), syscall.SIGTERM, func() bool {
		return !slices.ContainsFunc(replicas, func(r *replica) bool { return !p.sendsTo(r) })
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// sendsTo tells whether HAProxy holds a replica for ready.
func (p *proxy) sendsTo(r *replica) bool {
	c, err := net.Dial("unix", p.socket)
	if err != nil {
		return false
	}
	defer c.Close()
	if _, err := fmt.Fprintln(c, "show stat"); err != nil {
		return false
	}
	table, err := csv.NewReader(c).ReadAll()
	if err != nil || len(table) == 0 {
		return false
	}
	name, status := slices.Index(table[0], "svname"), slices.Index(table[0], "status")
	return slices.ContainsFunc(table, func(line []string) bool { return line[name] == r.api && line[status] == "UP" })
}

// end tells a replica to end and waits until it has.
func (r *replica) end(ctx context.Context) error {
	if err := r.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-r.Ended():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		return fmt.Errorf("replica %s: still runs %v after SIGTERM", r.api, patience)
	}
}

// A fleet is replicas behind HAProxy.
type fleet struct {
	*proxy
	replicas []*replica
	flags    []string // of each replica
}

// fleet starts three replicas of an edition, and HAProxy in front of them.
func (b *bed) fleet(ctx context.Context, name string, e *edition, flags ...string) (*fleet, error) {
	f := &fleet{flags: flags}
	if err := f.start(ctx, b, name, e); err != nil {
		f.stop()
		return nil, err
	}
	return f, nil
}

func (f *fleet) start(ctx context.Context, b *bed, name string, e *edition) error {
	for i := range 3 {
		r, err := b.prepare(fmt.Sprintf("%s-%d", name, i+1), e.file)
		if err != nil {
			return err
		}
		if err := b.start(ctx, r, f.flags...); err != nil {
			return err
		}
		f.replicas = append(f.replicas, r)
	}
	var err error
	f.proxy, err = b.proxy(ctx, f.replicas)
	return err
}

// stop ends HAProxy, where it was started, and the replicas.
func (f *fleet) stop() {
	if f.proxy != nil {
		f.proxy.Stop()
	}
	for _, r := range f.replicas {
		r.Stop()
	}
}

// load is one on HAProxy.
func (f *fleet) load(b *bed, rate float64, editions ...*edition) *load {
	l := b.load(f.replicas[0], rate, untilStopped, editions...)
	l.address = f.address
	return l
}

// restart ends the replicas one after the other and starts each again, each once HAProxy sends requests to the one
// before.
func (f *fleet) restart(ctx context.Context, b *bed) error {
	for _, r := range f.replicas {
		if err := r.end(ctx); err != nil {
			return err
		}
		if err := b.start(ctx, r, f.flags...); err != nil {
			return err
		}
		if err := eventually(ctx, "HAProxy sends requests to "+r.api+" again", func() (bool, error) { return f.sendsTo(r), nil }); err != nil {
			return err
		}
	}
	return nil
}
