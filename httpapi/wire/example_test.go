package wire_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"

	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/httpapi/wire"
	"pubd/index"
	"pubd/loader"
)

// A server is created once for a service. New snapshots and keys are arranged while it is serving.
func Example() {
	loaded, err := loader.Load("pubs.csv", []byte("UID,name,location\n1,The Anchor,Bristol\n2,The Bell,Bath\n"), loader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	snapshot, err := index.InMemory(loaded.Directory, index.BuildOptions{})
	if err != nil {
		log.Fatal(err)
	}
	service := httpapi.New(httpapi.Config{MaxUnpaged: 1000})
	service.ArrangeKeys(keys.Demo(), httpapi.Loads{})
	service.Arrange(httpapi.Arrangement{Served: snapshot})

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	go func() { _ = wire.New(service, wire.Config{}).Serve(listener) }()

	request, _ := http.NewRequest("GET", "http://"+listener.Addr().String()+"/api/v1/pubs/?search=bell&fields=name,location", nil)
	request.Header.Set("x-api-key", keys.DemoSecret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status)
	fmt.Println(strings.SplitAfter(string(body), "]")[0])
	// Output:
	// 200 OK
	// {"results":[{"name":"The Bell","location":"Bath"}]
}
