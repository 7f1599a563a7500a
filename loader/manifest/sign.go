package manifest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"aead.dev/minisign"

	"pubd/loader/disk"
)

// A PublicKey is a minisign key that a replica trusts.
type PublicKey struct{ key minisign.PublicKey }

// String returns the key as its file has it.
func (k PublicKey) String() string { return k.key.String() }

// A PrivateKey is a minisign key that signs.
type PrivateKey struct{ key minisign.PrivateKey }

// GenerateKey generates a key pair and returns the content of its files. The private key is encrypted unless the
// password is empty.
func GenerateKey(password string) (public, private []byte, err error) {
	publicKey, privateKey, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if public, err = publicKey.MarshalText(); err != nil {
		return nil, nil, err
	}
	if password != "" {
		private, err = minisign.EncryptKey(password, privateKey)
	} else {
		private, err = privateKey.MarshalText()
	}
	return append(public, '\n'), append(private, '\n'), err
}

// maxKey is the maximum size of the file of a key, in bytes.
const maxKey = 4 << 10

// ParsePublicKey parses a public key: the key itself, or the content of its file.
func ParsePublicKey(text string) (PublicKey, error) {
	var k PublicKey
	const rule = "must be the public key that pubd publish keygen or minisign -G made, or its file"
	if k.key.UnmarshalText([]byte(strings.TrimSpace(text))) == nil {
		return k, nil
	}
	content, _, err := disk.ReadFile(context.Background(), text, maxKey)
	if err != nil {
		return k, fmt.Errorf("%q: %s", text, rule)
	}
	if err := k.key.UnmarshalText([]byte(strings.TrimSpace(string(content)))); err != nil {
		return k, fmt.Errorf("%s: %s", text, rule)
	}
	return k, nil
}

// ReadPrivateKey reads a private key from a file that only its owner may read. An encrypted key needs its password.
func ReadPrivateKey(file, password string) (PrivateKey, error) {
	var k PrivateKey
	content, info, err := disk.ReadFile(context.Background(), file, maxKey)
	if err != nil {
		return k, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return k, fmt.Errorf("%s: mode %04o: only its owner may have access: chmod 600 %[1]s", file, mode)
	}
	content = []byte(strings.TrimSpace(string(content)))
	if minisign.IsEncrypted(content) {
		if password == "" {
			return k, fmt.Errorf("%s: is encrypted: put its password into PUBD_SIGN_PASSWORD", file)
		}
		if k.key, err = minisign.DecryptKey(password, content); err != nil {
			return k, fmt.Errorf("%s: the password of PUBD_SIGN_PASSWORD does not open it", file)
		}
		return k, nil
	}
	if err := k.key.UnmarshalText(content); err != nil {
		return k, fmt.Errorf("%s: must be a private key of pubd publish keygen or minisign -G", file)
	}
	return k, nil
}

const signaturePrefix, signatureExtension = "manifest-", ".minisig"

// SignatureName returns the file name of the signature of a manifest. It is derived from the content of the manifest,
// so that a manifest never lies next to the signature of another one.
func SignatureName(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return fmt.Sprintf("%s%x%s", signaturePrefix, sum[:8], signatureExtension)
}

// MaxSignature is the maximum size of a signature, in bytes.
const MaxSignature = 4 << 10

// Sign signs a manifest in minisign's format: minisign -V -m manifest.json -x SIGNATURE -P KEY verifies it.
func Sign(manifest []byte, sequence uint64, k PrivateKey) []byte {
	reader := minisign.NewReader(bytes.NewReader(manifest)) // signs the digest, which is minisign's default
	_, _ = io.Copy(io.Discard, reader)
	return reader.SignWithComments(k.key, fmt.Sprintf("sequence:%d\tfile:%s", sequence, Name),
		"signature of a manifest of pubd")
}

// Verify returns an error unless the signature is that of the manifest by one of the keys.
func Verify(manifest, signature []byte, trusted []PublicKey) error {
	var s minisign.Signature
	if err := s.UnmarshalText(signature); err != nil {
		return errors.New("signature: must be in minisign's format")
	}
	var ids []string
	for _, k := range trusted {
		if s.KeyID == k.key.ID() {
			if !minisign.Verify(k.key, manifest, signature) {
				return errors.New("signature: does not match this manifest")
			}
			return nil
		}
		ids = append(ids, fmt.Sprintf("%016X", k.key.ID()))
	}
	return fmt.Errorf("signature: is by the key %016X, must be by %s (--trust)", s.KeyID, strings.Join(ids, " or "))
}
