package httpapi_test

import (
	"pubd/httpapi"
	"pubd/httpapi/web/explorer"
	"pubd/httpapi/web/face"
	"pubd/httpapi/web/pages"
	"pubd/httpapi/wire"
)

func init() {
	httpapi.SetServer(func(s *httpapi.Service) httpapi.TCPServer { return wire.New(s, wire.Config{}) })
	httpapi.SetWebPages(func(key, language string) (httpapi.WebPages, error) {
		look, err := face.New(face.Options{Language: language})
		if err != nil {
			return httpapi.WebPages{}, err
		}
		webPages, err := explorer.New(explorer.Settings{Tiles: "https://tile.example.org/{z}/{x}/{y}.png", Key: key, Face: look})
		site := pages.New(look, "default-src 'none'; style-src 'self'")
		webPages.Files, webPages.Render, webPages.Failed = append(webPages.Files, site.Files()...), site.Render, site.Failed
		return webPages, err
	})
}
