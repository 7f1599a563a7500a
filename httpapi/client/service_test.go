package client_test

import (
	"bytes"
	"crypto/sha256"
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
	"pubd/index"
	"pubd/loader"
)

// start starts a service on a loopback address, without data if csv is nil.
func start(csv []byte) (address string, service *httpapi.Service) {
	service = httpapi.New(httpapi.Config{MaxUnpaged: 1000, KeepSnapshots: 2, KeepFor: time.Hour})
	service.PublishKeys(keys.Demo())
	if csv != nil {
		publish(service, csv)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _ = httpapi.NewServer(service).Serve(listener) }()
	return "http://" + listener.Addr().String(), service
}

// publish replaces the snapshot of a service.
func publish(service *httpapi.Service, csv []byte) {
	loaded, err := loader.Load(data.SampleName, csv, loader.Options{})
	if err != nil {
		panic(err)
	}
	snapshot, err := index.InMemory(loaded.Directory, index.BuildOptions{Source: sha256.Sum256(csv)})
	if err != nil {
		panic(err)
	}
	service.Publish(snapshot)
}

// sampleAddress is the address of a service of the embedded sample, which all tests share.
var sampleAddress = sync.OnceValue(func() string {
	address, _ := start(data.Sample())
	return address
})

// ask returns a client for an address.
func ask(address string, options ...client.Option) *client.Client {
	c, err := client.New(address, "demo", options...)
	if err != nil {
		panic(err)
	}
	return c
}

// sampleOf returns the first pubs of the sample.
func sampleOf(pubs int) []byte {
	lines := bytes.SplitAfter(data.Sample(), []byte("\n"))
	return bytes.Join(lines[:pubs+1], nil)
}

// answering starts a server that answers its first request with the first handler, and so on; further requests get the last one. asked returns
// the number of requests.
func answering(t *testing.T, handlers ...http.HandlerFunc) (address string, asked func() int) {
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
