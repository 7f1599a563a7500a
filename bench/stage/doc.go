// Package stage sets up what measurements need: programs that are started, awaited and ended, and the machine they ran on.
package stage
