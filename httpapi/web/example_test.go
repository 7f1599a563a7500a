package web_test

import (
	"fmt"

	"pubd/httpapi/request"
	"pubd/httpapi/views"
	"pubd/httpapi/web"
)

func Example() {
	site := web.NewSite(nil, func(*views.View) []byte { return []byte("{}") }, nil)
	_, out, _, _ := site.At([]byte("/openapi.json")).Answer(&request.Request{Method: []byte("GET")})
	fmt.Printf("%d %s", out.Status, out.Body)
	// Output: 200 {}
}
