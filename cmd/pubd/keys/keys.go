// Package keys has the commands that create, rotate, revoke and list API keys.
package keys

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"pubd/cmd/pubd/cli"
	"pubd/httpapi/keys"
)

// Command is pubd keys.
type Command struct {
	Add    addKeyCommand    `cmd:"" help:"Create a key and print its secret, which is shown only once."`
	Rotate rotateKeyCommand `cmd:"" help:"Give a key another secret and print it; the old one ends after a while."`
	Revoke revokeKeyCommand `cmd:"" help:"Revoke a key, from the next reload on."`
	List   listKeysCommand  `cmd:"" help:"List the keys, never their secrets."`
}

type addKeyCommand struct {
	File    string   `required:"" placeholder:"FILE" predictor:"file" help:"The key file; created if absent."`
	Name    string   `required:"" placeholder:"NAME" help:"Name of the key, which logs show."`
	Expires *expiry  `placeholder:"WHEN" help:"When the key expires: 30d, 2027-01-31 (at midnight, UTC) or 2027-01-31T12:00:00Z."`
	Rate    *float64 `placeholder:"PER_SECOND" help:"Requests per second; a response counts once more for each 16 KiB. Unlimited by default."`

	Public        bool     `help:"Let anyone use the key: the pages offer it to their visitors, and the key file keeps its secret."`
	RatePerClient *float64 `placeholder:"PER_SECOND" help:"Requests per second for each client of a public key, identified by its address (see serve --trusted-proxies). 50 by default."`
}

// defaultRatePerClient is a rate for the pages: it lets four visitors at one address type at the same time, a request
// for each of 12 letters.
const defaultRatePerClient = 50

// An expiry is a time given by a flag: a number of days from now, the beginning of a day, or an exact time.
type expiry time.Time

// UnmarshalText implements encoding.TextUnmarshaler.
func (e *expiry) UnmarshalText(text []byte) error {
	if count, ok := strings.CutSuffix(string(text), "d"); ok {
		const most = 100 * 365
		if days, err := strconv.ParseUint(count, 10, 31); err == nil && days <= most {
			*e = expiry(cli.Now().AddDate(0, 0, int(days)))
			return nil
		}
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if moment, err := time.Parse(layout, string(text)); err == nil {
			*e = expiry(moment)
			return nil
		}
	}
	return errors.New("must be a number of days such as 30d, a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z")
}

// Run adds the key.
func (c *addKeyCommand) Run(t cli.Terminal) error {
	entry := keys.Entry{Name: c.Name, Public: c.Public}
	if c.Expires != nil {
		expires := time.Time(*c.Expires)
		entry.Expires = expires
		switch {
		case expires.Unix() < 0:
			return fmt.Errorf("--expires %s: must be from 1970 on", expires.Format(time.RFC3339))
		case !expires.After(cli.Now()):
			return fmt.Errorf("--expires %s: is in the past, must be in the future", expires.Format(time.RFC3339))
		}
	}
	if c.Rate != nil {
		if entry.Rate = *c.Rate; !(entry.Rate > 0) {
			return fmt.Errorf("--rate %v: must be a number above 0; leave it out for no limit", entry.Rate)
		}
	}
	if c.RatePerClient != nil {
		if entry.RatePerClient = *c.RatePerClient; !(entry.RatePerClient > 0) {
			return fmt.Errorf("--rate-per-client %v: must be a number above 0", entry.RatePerClient)
		}
	}
	switch {
	case c.Public && c.RatePerClient == nil:
		entry.RatePerClient = defaultRatePerClient
	case !c.Public && c.RatePerClient != nil:
		return errors.New("--rate-per-client: is for a key that is --public")
	}
	return keys.Add(c.File, entry, shower(t, c.Name))
}

// shower returns a function that prints only the secret of a key on standard output.
func shower(t cli.Terminal, name string) func(secret string) error {
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is an error
	return func(secret string) error {
		if isDiscarded(t.Out) {
			return fmt.Errorf("standard output is closed or %s: nobody would see the secret of %s, so it was not added", os.DevNull, name)
		}
		if _, err := fmt.Fprintln(t.Out, secret); err != nil {
			return fmt.Errorf("the secret of %s could not be printed, so it was not added: %w", name, err)
		}
		return nil
	}
}

// isDiscarded reports whether w is the null device, which Go also opens in place of a closed standard output.
func isDiscarded(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	output, err := file.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && nullErr == nil && os.SameFile(output, null)
}

type rotateKeyCommand struct {
	File    string        `required:"" placeholder:"FILE" predictor:"file" help:"The key file."`
	Name    string        `required:"" placeholder:"NAME" help:"The name of the key, which stays, as do its rates and expiry."`
	Overlap time.Duration `default:"24h" placeholder:"D" help:"How long the old secret remains valid beside the new one (${default})."`
}

// Run adds the new secret.
func (c *rotateKeyCommand) Run(t cli.Terminal) error {
	if c.Overlap < 0 {
		return fmt.Errorf("--overlap %v: must be 0 or more", c.Overlap)
	}
	return keys.Rotate(c.File, c.Name, c.Overlap, shower(t, c.Name))
}

type revokeKeyCommand struct {
	File string `required:"" placeholder:"FILE" predictor:"file" help:"The key file."`
	Name string `required:"" placeholder:"NAME" help:"The name of the key."`
}

// Run marks the key as revoked in the file.
func (c *revokeKeyCommand) Run() error { return keys.Revoke(c.File, c.Name) }

type listKeysCommand struct {
	File string `required:"" placeholder:"FILE" predictor:"file" help:"The key file."`
}

// Run prints a table.
func (c *listKeysCommand) Run(t cli.Terminal) error {
	entries, err := keys.List(c.File)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTATE\tCREATED\tEXPIRES\tRATE\tPER CLIENT")
	for _, entry := range entries {
		state := "valid"
		switch {
		case !entry.Revoked.IsZero():
			state = "revoked " + day(entry.Revoked)
		case !entry.Expires.IsZero() && !cli.Now().Before(entry.Expires):
			state = "expired"
		}
		perClient := perSecond(entry.RatePerClient)
		if entry.Public {
			perClient += ", public"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", entry.Name, state, day(entry.Created), moment(entry.Expires), perSecond(entry.Rate), perClient)
	}
	return table.Flush()
}

func perSecond(rate float64) string {
	if rate == 0 {
		return "-"
	}
	return strconv.FormatFloat(rate, 'g', -1, 64) + "/s"
}

func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}
