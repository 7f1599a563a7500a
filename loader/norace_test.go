//go:build !race

package loader

const raceDetector = false
