// Package fleet proves that replicas that follow one manifest act as one server. Each test is a row of docs/reliability.md.
//
// The tests run three replicas, HAProxy and nginx with the configuration in deploy, and versitygw, an S3 server in PATH or VERSITYGW:
// go install github.com/versity/versitygw/cmd/versitygw@v1.8.0. They are skipped if one of these programs is missing. PUBD_LONG=1 runs
// their short forms, and with -timeout 0 the full forms.
package fleet
