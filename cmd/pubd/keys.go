package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"text/tabwriter"
	"time"

	"pubd/httpapi/keys"
)

type keysCommand struct {
	Add    addKeyCommand    `cmd:"" help:"Make a key and print its secret, this once."`
	Revoke revokeKeyCommand `cmd:"" help:"Revoke a key; counts from the next reload."`
	List   listKeysCommand  `cmd:"" help:"List the keys, never their secrets."`
}

type addKeyCommand struct {
	File    string     `required:"" placeholder:"FILE" help:"The key file; made when it is absent."`
	Name    string     `required:"" placeholder:"NAME" help:"What logs call the key."`
	Expires *time.Time `placeholder:"RFC3339" help:"When the key expires, such as 2027-01-31T12:00:00Z."`
	Rate    *float64   `placeholder:"PER_SECOND" help:"Requests a second that the key may make; an answer counts once more for each 16 KiB. No limit without it."`
}

// Run prints the secret and nothing else on standard output.
func (c *addKeyCommand) Run(t terminal) error {
	var expires time.Time
	var rate float64
	if c.Expires != nil {
		expires = *c.Expires
		switch {
		case expires.Unix() < 0:
			return fmt.Errorf("--expires %s: must be from 1970 on", expires.Format(time.RFC3339))
		case !expires.After(now()):
			return fmt.Errorf("--expires %s: is in the past, must be yet to come", expires.Format(time.RFC3339))
		}
	}
	if c.Rate != nil {
		if rate = *c.Rate; !(rate > 0) {
			return fmt.Errorf("--rate %v: must be a number above 0; leave it out for no limit", rate)
		}
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is an error
	return keys.Add(c.File, c.Name, expires, rate, func(secret string) error {
		if isDiscarded(t.out) {
			return fmt.Errorf("standard output is closed or %s: nobody would see the secret, and the key %s was not added", os.DevNull, c.Name)
		}
		if _, err := fmt.Fprintln(t.out, secret); err != nil {
			return fmt.Errorf("the secret could not be printed, and the key %s was not added: %w", c.Name, err)
		}
		return nil
	})
}

// isDiscarded reports whether what is written to w is lost in the null device, which Go also opens in place of a standard output
// that is closed.
func isDiscarded(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	output, err := file.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && nullErr == nil && os.SameFile(output, null)
}

type revokeKeyCommand struct {
	File string `required:"" placeholder:"FILE" help:"The key file."`
	Name string `required:"" placeholder:"NAME" help:"The name of the key."`
}

// Run marks the key in the file.
func (c *revokeKeyCommand) Run() error { return keys.Revoke(c.File, c.Name) }

type listKeysCommand struct {
	File string `required:"" placeholder:"FILE" help:"The key file."`
}

// Run prints a table.
func (c *listKeysCommand) Run(t terminal) error {
	entries, err := keys.List(c.File)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTATE\tCREATED\tEXPIRES\tRATE")
	for _, entry := range entries {
		state := "valid"
		switch {
		case !entry.Revoked.IsZero():
			state = "revoked " + day(entry.Revoked)
		case !entry.Expires.IsZero() && !now().Before(entry.Expires):
			state = "expired"
		}
		rate := "-"
		if entry.Rate > 0 {
			rate = strconv.FormatFloat(entry.Rate, 'g', -1, 64) + "/s"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", entry.Name, state, day(entry.Created), moment(entry.Expires), rate)
	}
	return table.Flush()
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
