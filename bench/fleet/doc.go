// Package fleet proves that replicas that follow one manifest answer as one: each test is a row of docs/reliability.md.
//
// The tests run three replicas, HAProxy and nginx with the configuration in deploy, and versitygw, an S3 server, which is looked for in PATH or is what
// VERSITYGW names: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0. Without one of them, they skip. PUBD_FULL=1 runs the
// full forms.
package fleet
