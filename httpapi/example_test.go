package httpapi_test

import (
	"fmt"
	"log"
	"strings"
	"time"

	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/index"
	"pubd/loader"
)

// everybody is an admission that rejects nobody.
type everybody struct{}

func (everybody) Admit(httpapi.Demand) bool { return true }

// A service handles requests that a server has read. New snapshots and keys are arranged meanwhile.
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

	x := service.AcquireExchange()
	defer x.Release()
	x.Request = httpapi.Request{Method: []byte("GET"), Path: []byte("/api/v1/pubs/"), Query: []byte("search=bell&fields=name,location"),
		Keys: [][]byte{[]byte(keys.DemoSecret)}, Received: time.Now()}
	x.Handle(everybody{})
	fmt.Println(x.Response.Status)
	fmt.Println(strings.SplitAfter(string(x.Response.Body), "]")[0])
	// Output:
	// 200
	// {"results":[{"name":"The Bell","location":"Bath"}]
}
