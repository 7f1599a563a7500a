package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// A bucketClient talks to one S3 server.
type bucketClient struct {
	minio.Core
	credentials *credentials.Credentials
}

// newBucketClient returns a client of the S3 server that the environment names, in the variables of the AWS tools:
// AWS_ENDPOINT_URL, AWS_REGION, and credentials from variables, a profile or the machine's role.
func newBucketClient(transport http.RoundTripper) (*bucketClient, error) {
	address := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	endpoint, err := url.Parse(address)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" ||
		strings.Trim(endpoint.Path, "/") != "" {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL: must be an address such as https://s3.example.org, without a path")
	}
	found := credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{}, &credentials.IAM{}})
	client, err := minio.NewCore(endpoint.Host, &minio.Options{Creds: found,
		Secure: endpoint.Scheme == "https", Transport: transport,
		Region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1"), MaxRetries: 1})
	if err != nil {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL: %w", err)
	}
	return &bucketClient{*client, found}, nil
}

// openBucket opens an object of an S3 server.
func (c *Client) openBucket(ctx context.Context, l Location, r Request) (*Object, error) {
	s3, err := c.s3()
	if err != nil {
		return nil, err
	}
	var options minio.GetObjectOptions
	if r.Known != "" {
		_ = options.SetMatchETagExcept(r.Known)
	}
	if r.Offset > 0 {
		_ = options.SetRange(r.Offset, 0)
	}
	body, info, header, err := s3.GetObject(ctx, l.bucket, l.key, options)
	switch {
	case r.Offset > 0 && minio.ToErrorResponse(err).StatusCode == http.StatusRequestedRangeNotSatisfiable:
		r.Offset = 0
		return c.openBucket(ctx, l, r)
	case err != nil:
		return nil, s3.explain(err)
	}
	object := &Object{ReadCloser: body, Size: info.Size, Version: info.ETag}
	if r.Offset > 0 && header.Get("Content-Range") != "" {
		if object.Offset, object.Size, err = contentRange(header.Get("Content-Range")); err != nil {
			body.Close()
			r.Offset = 0
			return c.openBucket(ctx, l, r)
		}
	}
	return object, nil
}

// ErrConflict means that a file is no longer the version that was read.
var ErrConflict = errors.New("was replaced meanwhile")

// explain translates an error of the S3 library. Rejected credentials are looked up again the next time.
func (s3 *bucketClient) explain(err error) error {
	answer := minio.ToErrorResponse(err)
	switch answer.StatusCode {
	case http.StatusNotModified:
		return ErrUnchanged
	case http.StatusNotFound:
		if answer.Code != "NoSuchBucket" {
			return fs.ErrNotExist
		}
	case http.StatusPreconditionFailed, http.StatusConflict:
		return ErrConflict
	case http.StatusForbidden, http.StatusUnauthorized, http.StatusBadRequest: // AWS answers 400 for ExpiredToken
		s3.credentials.Expire()
	case 0:
		return err // it did not come from the server
	}
	return fmt.Errorf("answers %d %s: %s", answer.StatusCode, answer.Code,
		cmp.Or(answer.Message, http.StatusText(answer.StatusCode)))
}

// A bucketFolder is a prefix in a bucket.
type bucketFolder struct {
	client   *Client
	s3       *bucketClient
	location Location
}

func (f *bucketFolder) String() string { return f.location.String() }

func (f *bucketFolder) fail(name string, err error) error {
	return f.client.explain(context.Background(), f.location.In(name), f.s3.explain(err))
}

// Put implements Folder.
func (f *bucketFolder) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error {
	if _, err := f.s3.Client.PutObject(ctx, f.location.bucket, f.location.In(name).key, content, size,
		minio.PutObjectOptions{ContentType: contentType(name)}); err != nil {
		return f.fail(name, err)
	}
	return nil
}

// Replace implements Folder. A server that rejects a request before it has read it may cut the connection, so that its
// answer is lost: without a good one, the file says what became of the request.
func (f *bucketFolder) Replace(ctx context.Context, name string, content []byte, version string) error {
	if err := f.checkConditions(ctx, version == ""); err != nil {
		return err
	}
	err := f.replace(ctx, name, content, version)
	if err == nil || errors.Is(err, ErrConflict) {
		return err
	}
	is, now, unread := f.client.ReadVersion(ctx, f.location.In(name), maxReplaced)
	switch {
	case unread == nil && string(is) == string(content):
		return nil
	case unread == nil && now != version, errors.Is(unread, fs.ErrNotExist) && version != "":
		return ErrConflict
	}
	return err
}

// ConditionTest is the file by which conditional writes are tested. A publisher that is killed meanwhile leaves it.
const ConditionTest = "condition-test"

// checkConditions returns an error if the server writes a file in spite of a condition that is not met. Of two writes
// of one file on the condition that it does not exist, or that it is a version that never was, at least the second must
// be rejected. The file is only for this, and removed by whoever wrote it.
func (f *bucketFolder) checkConditions(ctx context.Context, isNew bool) error {
	const name = ConditionTest
	version := "00000000000000000000000000000000"
	if isNew {
		version = ""
	}
	first := f.replace(ctx, name, nil, version)
	if first != nil {
		return ignoreConflict(first)
	}
	second := f.replace(ctx, name, nil, version)
	if err := f.remove(ctx, name); err != nil {
		return err
	}
	if second == nil {
		return fmt.Errorf("%s: the server ignores If-Match or If-None-Match, so that one publisher could undo the work of another: "+
			"use a storage that supports conditional writes, or a directory", f)
	}
	return ignoreConflict(second)
}

func ignoreConflict(err error) error {
	if errors.Is(err, ErrConflict) {
		return nil
	}
	return err
}

func (f *bucketFolder) replace(ctx context.Context, name string, content []byte, version string) error {
	options := minio.PutObjectOptions{ContentType: contentType(name), DisableMultipart: true, CacheControl: "no-cache"}
	// The signature of an empty file would be a body, whose writing fails if the server rejects the request unread.
	options.DisableContentSha256 = len(content) == 0
	if version == "" {
		options.SetMatchETagExcept("*")
	} else {
		options.SetMatchETag(version)
	}
	_, err := f.s3.Client.PutObject(ctx, f.location.bucket, f.location.In(name).key, strings.NewReader(string(content)),
		int64(len(content)), options)
	if answer := minio.ToErrorResponse(err); err != nil && version != "" && answer.StatusCode == http.StatusNotFound {
		return ErrConflict // another client deleted it
	}
	if err != nil {
		return f.fail(name, err)
	}
	return nil
}

// List implements Folder.
func (f *bucketFolder) List(ctx context.Context) (entries []Entry, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix := ""
	if f.location.key != "" {
		prefix = f.location.key + "/"
	}
	for object := range f.s3.Client.ListObjects(ctx, f.location.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if object.Err != nil {
			return nil, f.client.explain(ctx, f.location, f.s3.explain(object.Err))
		}
		if name := strings.TrimPrefix(object.Key, prefix); CheckName(name) == nil {
			entries = append(entries, Entry{Name: name, Size: object.Size, Modified: object.LastModified})
		}
	}
	return entries, nil
}

// Remove implements Folder.
func (f *bucketFolder) Remove(ctx context.Context, e Entry) error {
	info, err := f.s3.Client.StatObject(ctx, f.location.bucket, f.location.In(e.Name).key, minio.StatObjectOptions{})
	switch {
	case err != nil:
		return f.fail(e.Name, err)
	case info.LastModified.After(e.Modified): // in whole seconds
		return ErrConflict
	}
	return f.remove(ctx, e.Name)
}

func (f *bucketFolder) remove(ctx context.Context, name string) error {
	key := f.location.In(name).key
	if err := f.s3.Client.RemoveObject(ctx, f.location.bucket, key, minio.RemoveObjectOptions{}); err != nil {
		return f.fail(name, err)
	}
	return nil
}
