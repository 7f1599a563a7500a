// Package bench makes the corpus and the query mix that the benchmarks and the comparisons with other servers share.
package bench
