// Package publish has the commands that publish snapshots, and generate the keys that sign.
package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/database"
	"pubd/cmd/pubd/serve"
	"pubd/loader/feed"
	"pubd/loader/fetch"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// Command is pubd publish.
type Command struct {
	Snapshot publishSnapshotCommand `cmd:"" default:"withargs" help:"Publish a snapshot (the default command)."`
	Keygen   publishKeygenCommand   `cmd:"" help:"Generate the key pair that signs and verifies manifests."`
}

type publishSnapshotCommand struct {
	In string `arg:"" optional:"" name:"pubs.csv" predictor:"file" help:"The snapshot: CSV, JSON or NDJSON, plain, .gz or .zst."`
	To string `required:"" placeholder:"DIR|s3://…" help:"Where to publish: a directory, which any web server may serve, or s3://bucket/prefix."`

	ActivateIn   *time.Duration `placeholder:"D" help:"Delay until replicas begin to serve it, all at the same moment; 1m unless it is the first."`
	ActivateAt   *time.Time     `placeholder:"TIME" help:"When replicas begin to serve it, such as 2027-01-31T12:00:00Z."`
	AcceptShrink bool           `help:"Publish it no matter how many pubs it loses."`
	MaxShrink    float64        `default:"20" placeholder:"PERCENT" help:"Reject a snapshot that loses a larger share of the pubs than this (${default}); 100 turns the check off."`
	MaxBadRows   int            `default:"0" placeholder:"N" help:"Skip up to this many wrong rows (${default})."`
	cli.PlacesFlag
	cli.FacetFlag
	From string `default:"file" enum:"file,postgres" placeholder:"file|postgres" help:"Where the pubs come from: a snapshot file or a database query (${default})."`
	database.PostgresFlags
	Watch       string        `placeholder:"CHANNEL" help:"Keep running, and publish again after each NOTIFY on this database channel."`
	AtMostEvery time.Duration `default:"1m" placeholder:"D" help:"Minimum time between two snapshots of --watch (${default})."`

	Sign string `placeholder:"FILE" predictor:"file" help:"Sign the manifest with this private key, from publish keygen or minisign; PUBD_SIGN_PASSWORD is the password of an encrypted one."`
	Keep int    `default:"10" placeholder:"N" help:"Earlier snapshots to keep in the manifest (${default}), for clients that still read their pages, and for --rollback."`

	Rollback string `placeholder:"ID" help:"Publish a snapshot of the manifest again, instead of a file."`
	Prune    bool   `help:"Remove files older than an hour that the manifest does not name; without a snapshot, do only that."`

	to storage.Location
}

// Help says how to list the flags.
func (c *Command) Help() string {
	return `pubd publish --to DIR pubs.csv publishes; pubd publish snapshot --help lists its flags.

Replicas follow it: pubd serve --data DIR/manifest.json`
}

// publishLead is the default time for replicas to prepare a snapshot: twice their interval between two reads of the
// manifest.
const publishLead = 2 * feed.DefaultRefresh

func isWithin(d, limit time.Duration) bool { return 0 <= d && d <= limit }

// Validate implements kong's check of a command's flags.
func (c *publishSnapshotCommand) Validate() (err error) {
	if err := c.PostgresFlags.Check(c.From); err != nil {
		return err
	}
	switch {
	case c.From == database.FromPostgres && c.In != "":
		return errors.New("--from postgres: reads a database: leave out the file")
	case !c.hasSource() && c.Rollback == "" && !c.Prune:
		return errors.New("needs a snapshot, --rollback ID or --prune")
	case c.hasSource() && c.Rollback != "":
		return errors.New("--rollback: publishes an earlier snapshot: leave out any other source")
	case c.Watch != "" && c.From != database.FromPostgres:
		return errors.New("--watch: is for --from postgres only")
	case c.Watch != "" && c.ActivateAt != nil:
		return errors.New("--watch and --activate-at: must not be given together")
	case c.AtMostEvery < 0:
		return fmt.Errorf("--at-most-every %v: must be 0 or more", c.AtMostEvery)
	case c.ActivateIn != nil && c.ActivateAt != nil:
		return errors.New("--activate-in and --activate-at: must not be given together")
	case c.ActivateIn != nil && !isWithin(*c.ActivateIn, manifest.MaxAhead):
		return fmt.Errorf("--activate-in %v: must be from 0 to 744h, which is 31 days", *c.ActivateIn)
	case c.ActivateAt != nil && !isWithin(time.Until(*c.ActivateAt), manifest.MaxAhead):
		return fmt.Errorf("--activate-at %s: must be from now to 31 days later", c.ActivateAt.Format(time.RFC3339))
	case !(0 <= c.MaxShrink && c.MaxShrink <= 100):
		return fmt.Errorf("--max-shrink %v: must be from 0 to 100", c.MaxShrink)
	case c.MaxBadRows < 0:
		return fmt.Errorf("--max-bad-rows %d: must be 0 or more", c.MaxBadRows)
	case c.Keep < 1 || c.Keep > manifest.MaxKept:
		return fmt.Errorf("--keep %d: must be from 1 to %d", c.Keep, manifest.MaxKept)
	}
	if c.to, err = storage.Parse(c.To); err != nil {
		return fmt.Errorf("--to %w", err)
	}
	return c.FacetFlag.Validate()
}

// Run publishes, once or after each notification of --watch.
func (c *publishSnapshotCommand) Run(ctx context.Context, t cli.Terminal) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once, also while it builds
	if c.Watch != "" {
		return watch(ctx, t.Err, c.DSN, c.Watch, c.AtMostEvery, func() error { return c.once(ctx, t) })
	}
	return c.once(ctx, t)
}

// hasSource reports whether there are pubs to publish.
func (c *publishSnapshotCommand) hasSource() bool {
	return c.In != "" || c.From == database.FromPostgres
}

// once publishes once.
func (c *publishSnapshotCommand) once(ctx context.Context, t cli.Terminal) error {
	begun := time.Now()
	options := manifest.Options{To: c.to, Keep: c.Keep, Activate: c.activation, Again: c.ActivateIn != nil || c.ActivateAt != nil,
		Progress: func(label string, size int64) (io.Writer, func()) {
			p := cli.NewProgress(t.Err, label, true)
			p.Show(0, size)
			return p, p.Finish
		}}
	if c.Sign != "" {
		key, err := manifest.ReadPrivateKey(c.Sign, os.Getenv("PUBD_SIGN_PASSWORD"))
		if err != nil {
			return fmt.Errorf("--sign: %w", err)
		}
		options.Sign = &key
	}
	p, err := manifest.NewPublisher(ctx, options)
	if err != nil {
		return err
	}
	if p.Manifest == nil && !c.hasSource() {
		return fmt.Errorf("%s: does not exist: publish a snapshot first", p.Location)
	}
	isNew := true
	switch {
	case c.hasSource():
		isNew, err = p.Publish(ctx, func(folder string) (manifest.Build, error) { return c.build(ctx, t, p.Manifest, folder) })
	case c.Rollback != "":
		err = p.Rollback(ctx, c.Rollback)
	}
	if err == nil && (c.hasSource() || c.Rollback != "") {
		err = report(t, p, isNew, time.Since(begun))
	}
	if err == nil && c.Prune {
		var removed int
		var size int64
		if removed, size, err = p.Prune(ctx); err == nil {
			err = cli.Say(t, "%s: %s removed, %s bytes\n", c.to, cli.Counted(removed, "file"), cli.Grouped(int(size)))
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: interrupted: to finish, run it again", p.Location)
	}
	return err
}

// report says what was published.
func report(t cli.Terminal, p *manifest.Publisher, isNew bool, took time.Duration) error {
	s := p.Manifest.Snapshots[0]
	if !isNew {
		return cli.Say(t, "%s: sequence %d publishes snapshot %s already, nothing to do\n", p.Location, p.Manifest.Sequence, s.ID)
	}
	return cli.Say(t, "%s: sequence %d, snapshot %s, %s, %s bytes to download (%.0f %% of the index file), served from %s on; published in %v\n",
		p.Location, p.Manifest.Sequence, s.ID, cli.Counted(s.Pubs, "pub"), cli.Grouped(int(s.Index.Size)),
		100*float64(s.Index.Size)/float64(s.Index.ExpandedSize), s.ActivateAt.Format(time.RFC3339), took.Round(10*time.Millisecond))
}

// build builds the index file of the snapshot in a folder. It is an error if it loses too many of the pubs that a
// manifest publishes, which is nil before the first.
func (c *publishSnapshotCommand) build(ctx context.Context, t cli.Terminal, current *manifest.Manifest, folder string) (b manifest.Build, err error) {
	in, name := c.In, c.In
	if c.From == database.FromPostgres {
		in, name = filepath.Join(folder, "pubs.csv"), c.RowsName()
		rows, err := os.Create(in)
		if err != nil {
			return b, err
		}
		if err := errors.Join(c.Read(ctx, t, rows), rows.Close()); err != nil {
			return b, err
		}
	}
	b, err = (&serve.Build{In: in, Out: filepath.Join(folder, "pubs"+fetch.IndexExtension), MaxBadRows: c.MaxBadRows,
		PlacesFlag: c.PlacesFlag, FacetFlag: c.FacetFlag, Name: name}).Index(t)
	b.AcceptShrink = c.AcceptShrink
	if err == nil && current != nil && !c.AcceptShrink {
		if err = fetch.CheckShrink(name, current.Snapshots[0].Pubs, b.Pubs, c.MaxShrink); err != nil {
			err = fmt.Errorf("%w, or publish it with --accept-shrink", err)
		}
	}
	return b, err
}

// activation returns when replicas begin to serve a snapshot.
func (c *publishSnapshotCommand) activation(publishedAt time.Time, isFirst bool) time.Time {
	switch {
	case c.ActivateAt != nil:
		return c.ActivateAt.UTC()
	case c.ActivateIn != nil:
		return publishedAt.Add(*c.ActivateIn)
	case isFirst:
		return publishedAt
	}
	return publishedAt.Add(publishLead)
}
