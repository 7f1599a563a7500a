package ops_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"pubd/httpapi"
	"pubd/httpapi/ops"
	"pubd/httpapi/status"
)

// A service is not ready until it has data.
func Example() {
	service := httpapi.New(httpapi.Config{})
	server := ops.New(service, ops.Config{Traffic: func() status.Traffic { return status.Traffic{} }, Reload: func(acceptShrink bool) {}})

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	go func() { _ = server.Serve(listener) }()

	response, err := http.Get("http://" + listener.Addr().String() + "/readyz")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status)
	fmt.Print(string(body))
	// Output:
	// 503 Service Unavailable
	// {"ready":false,"snapshot":"","pubs":0,"loaded_at":null,"last_reload":"none yet","last_failure":null,"loading_since":null}
}
