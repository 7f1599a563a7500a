package httpapi_test

import (
	"pubd/httpapi"
	"pubd/httpapi/wire"
)

func init() {
	httpapi.SetServer(func(s *httpapi.Service) httpapi.TCPServer { return wire.New(s, wire.Config{}) })
}
