//go:build race

package loader

const raceDetector = true
