// Package index answers queries about one snapshot of a pub directory from memory.
package index
