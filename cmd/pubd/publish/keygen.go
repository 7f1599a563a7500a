package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"pubd/cmd/pubd/cli"
	"pubd/loader/manifest"
)

type publishKeygenCommand struct {
	Private string `arg:"" name:"pubd.key" help:"The file to create for the private key, for publish --sign."`
	Public  string `arg:"" name:"pubd.pub" help:"The file to create for the public key, for serve --trust and minisign -p."`
}

// Run writes the keys. It overwrites no file, and encrypts the private key with the password in PUBD_SIGN_PASSWORD, if
// set.
func (c *publishKeygenCommand) Run(t cli.Terminal) error {
	public, private, err := manifest.GenerateKey(os.Getenv("PUBD_SIGN_PASSWORD"))
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name    string
		content []byte
		mode    os.FileMode
	}{{c.Private, private, 0o600}, {c.Public, public, 0o644}} {
		to, err := os.OpenFile(file.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file.mode)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: exists, and keys are never overwritten", file.name)
		}
		if err != nil {
			return err
		}
		_, err = to.Write(file.content)
		if err := errors.Join(err, to.Close()); err != nil {
			return err
		}
	}
	key, err := manifest.ParsePublicKey(c.Public)
	if err != nil {
		return err
	}
	return cli.Say(t, "%s: keep it where manifests are published\n%s: replicas trust it: serve --trust %s\n", c.Private, c.Public, key)
}
