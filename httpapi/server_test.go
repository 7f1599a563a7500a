package httpapi_test

import (
	"pubd/bench/testkit"
	"pubd/httpapi"
	"pubd/httpapi/web"
	"pubd/httpapi/web/explorer"
	"pubd/httpapi/web/face"
	"pubd/httpapi/web/pages"
	"pubd/httpapi/wire"
)

func init() {
	httpapi.SetServer(func(s *httpapi.Service) testkit.Server { return wire.New(s, wire.Config{}) })
	httpapi.SetWebPages(func(key, language string) (web.Pages, error) {
		look, err := face.New(face.Options{Language: language})
		if err != nil {
			return nil, err
		}
		e, err := explorer.New(explorer.Settings{Tiles: "https://tile.example.org/{z}/{x}/{y}.png", Key: key, Face: look})
		return pages.New(look, e), err
	})
}
