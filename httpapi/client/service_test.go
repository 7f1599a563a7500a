package client_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"pubd/data"
	"pubd/httpapi"
	"pubd/httpapi/client"
	"pubd/httpapi/keys"
	"pubd/httpapi/wire"
	"pubd/index"
	"pubd/loader"
)

// text formats a value as JSON, which shows what pointers point to.
func text(value any) string {
	written, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(written)
}

// must returns the result of a step of the preparation.
func must[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}

// refusal returns the service's error, and a zero one if there is none.
func refusal(err error) client.Error {
	refused, found := errors.AsType[*client.Error](err)
	if !found {
		return client.Error{}
	}
	return *refused
}

// start starts a service on a loopback address, without data if csv is nil.
func start(csv []byte) (address string, service *httpapi.Service) {
	service = httpapi.New(httpapi.Config{MaxUnpaged: 1000, KeepFor: time.Hour})
	service.ArrangeKeys(keys.Demo(), httpapi.Loads{})
	if csv != nil {
		install(service, csv)
	}
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	go func() { _ = wire.New(service, wire.Config{}).Serve(listener) }()
	return "http://" + listener.Addr().String(), service
}

// install replaces the snapshot of a service, and returns it. Others can be requested by ID.
func install(service *httpapi.Service, csv []byte, others ...*index.Snapshot) *index.Snapshot {
	loaded := must(loader.Load(data.SampleName, csv, loader.Options{}))
	snapshot := must(index.InMemory(loaded.Directory, index.BuildOptions{Source: sha256.Sum256(csv)}))
	service.Arrange(httpapi.Arrangement{Served: snapshot, Others: others})
	return snapshot
}

// sampleAddress is the address of a service of the embedded sample, which all tests share.
var sampleAddress = sync.OnceValue(func() string {
	address, _ := start(data.Sample())
	return address
})

// sample is a client of that service.
var sample = sync.OnceValue(func() *client.Client { return clientOf(sampleAddress()) })

// clientOf returns a client for an address.
func clientOf(address string, options ...client.Option) *client.Client {
	return must(client.New(address, "demo", options...))
}

// sampleOf returns the first pubs of the sample.
func sampleOf(pubs int) []byte {
	lines := bytes.SplitAfter(data.Sample(), []byte("\n"))
	return bytes.Join(lines[:pubs+1], nil)
}

// answering starts a server that answers its first request with the first handler, and so on; further requests get the
// last one. requests returns their number.
func answering(t *testing.T, handlers ...http.HandlerFunc) (address string, requests func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		handler := handlers[min(n, len(handlers)-1)]
		n++
		mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}
