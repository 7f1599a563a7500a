package serve

import (
	"context"

	"pubd/cmd/pubd/cli"
	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/httpapi/status"
	"pubd/loader/feed"
	"pubd/loader/fetch"
)

// dataFeed returns the feed of --data, which arranges what a service answers from.
func (c *Command) dataFeed(t cli.Terminal, log *logSink, service *httpapi.Service) *feed.Feed {
	from := fetch.Options{Location: c.dataAt, Cache: c.Cache, Places: c.Places, MaxBadRows: c.MaxBadRows, Extra: c.Kept(), MaxShrink: c.MaxShrink,
		BuilderVersion: cli.BuilderVersion(), Patience: readLimit(), Trust: c.trusted, Log: log.Logger, Progress: loadProgress(t, log)}
	o := feed.Options{Options: from, Refresh: c.Refresh, KeepFor: c.KeepFor, Keep: keepSnapshots - 1}
	return feed.New(o, func(s feed.State) { service.Arrange(arrangementOf(s)) })
}

// keyPoller returns the poller of --keys or, without it, of the demo key.
func (c *Command) keyPoller(log *logSink, service *httpapi.Service) *feed.Poller[*keys.Set] {
	return feed.NewPoller(feed.PollerOptions[*keys.Set]{What: "keys", Location: c.keysAt, Default: keys.Demo(), Cache: c.Cache, MaxSize: keys.MaxFileSize,
		Refresh: c.Refresh, Patience: readLimit(), Log: log.Logger, Parse: keys.Parse,
		Load: func(ctx context.Context, path string) (*keys.Set, error) {
			set, warning, err := keys.Load(ctx, path)
			if warning != nil {
				log.Warn().Err(warning).Msg("key file is exposed")
			}
			return set, err
		},
		Announce: func(set *keys.Set, l feed.Loads) { service.ArrangeKeys(set, status.Loads(l)) },
		Loaded:   func(set *keys.Set) { log.Info().Int("keys", set.Len()).Msg("keys loaded") },
	})
}

// arrangementOf returns what a service answers from in a state.
func arrangementOf(s feed.State) httpapi.Arrangement {
	a := httpapi.Arrangement{Pending: s.Pending, Loads: status.Loads(s.Loads)}
	built := []string{}
	add := func(v *fetch.Version) {
		a.Others = append(a.Others, v.Value)
		if v.From == "build" {
			built = append(built, v.Publication.ID)
		}
	}
	if s.Serve != nil {
		add(s.Serve)
		a.Served = s.Serve.Value
	}
	kept, prepared := []string{}, []string{}
	for _, v := range s.Prepared {
		add(v)
		prepared = append(prepared, v.Publication.ID)
	}
	for _, v := range s.Kept {
		add(v)
		kept = append(kept, v.Publication.ID)
	}
	if s.Published {
		a.Fleet = &status.Fleet{Sequence: s.Manifest.Sequence, PublishedAt: s.Manifest.Snapshots[0].PublishedAt,
			Kept: kept, Prepared: prepared, Pending: append([]string{}, s.Pending...), Built: built}
		if !s.Change.IsZero() {
			next := s.Change.UTC()
			a.Fleet.NextAt = &next
		}
	}
	return a
}

// loadProgress returns a function that shows a slow part of loading, in the log if there is no terminal.
func loadProgress(t cli.Terminal, log *logSink) func(part, name string, bytes bool) (show func(done, total int64), finish func()) {
	return func(part, name string, bytes bool) (show func(done, total int64), finish func()) {
		p := cli.StartProgress(t.Err, part+" "+name, bytes, func(state string) {
			log.Info().Str("data", name).Str("progress", state).Msg(part)
		})
		return p.Show, p.Finish
	}
}
