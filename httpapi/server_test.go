package httpapi_test

import (
	"pubd/httpapi"
	"pubd/httpapi/explorer"
	"pubd/httpapi/pages"
	"pubd/httpapi/wire"
)

func init() {
	httpapi.SetServer(func(s *httpapi.Service) httpapi.TCPServer { return wire.New(s, wire.Config{}) })
	httpapi.SetWebPages(func(key string) (httpapi.WebPages, error) {
		webPages, err := explorer.New(explorer.Settings{Tiles: "https://tile.example.org/{z}/{x}/{y}.png", Key: key})
		site := pages.New(nil, "default-src 'none'; style-src 'self'")
		webPages.Files, webPages.Render = append(webPages.Files, site.Files()...), site.Render
		return webPages, err
	})
}
