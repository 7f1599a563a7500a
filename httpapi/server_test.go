package httpapi_test

import (
	"pubd/httpapi"
	"pubd/httpapi/explorer"
	"pubd/httpapi/wire"
)

func init() {
	httpapi.SetServer(func(s *httpapi.Service) httpapi.TCPServer { return wire.New(s, wire.Config{}) })
	httpapi.SetWebPages(func(key string) (httpapi.WebPages, error) {
		return explorer.New(explorer.Settings{Tiles: "https://tile.example.org/{z}/{x}/{y}.png", Key: key})
	})
}
