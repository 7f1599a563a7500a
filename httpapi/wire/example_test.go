package wire_test

import (
	"fmt"
	"log"
	"net"
	"net/http"

	"pubd/httpapi"
	"pubd/httpapi/wire"
)

// A server is created once for a service, which may receive its keys and snapshots while it is serving.
func Example() {
	service := httpapi.New(httpapi.Config{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	go func() { _ = wire.New(service, wire.Config{}).Serve(listener) }()

	response, err := http.Get("http://" + listener.Addr().String() + "/api/v1/pubs/?search=bell")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
	// Output:
	// 401 Unauthorized
}
