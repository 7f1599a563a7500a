package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// cores gives the core of the servers and that of the load.
func cores() (server, load int, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, fmt.Errorf("which cores may be used: %w: run it on Linux", err)
	}
	allowed := allowedCores(string(status))
	if len(allowed) < 2 {
		return 0, 0, fmt.Errorf("%d core may be used: run it with two, one for the servers and one for the load", len(allowed))
	}
	return allowed[0], allowed[1], nil
}

// allowedCores reads the list of cores, such as 0-2,5, out of a process's status.
func allowedCores(status string) (cores []int) {
	for line := range strings.Lines(status) {
		list, ok := strings.CutPrefix(line, "Cpus_allowed_list:")
		if !ok {
			continue
		}
		for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
			low, high, isRange := strings.Cut(part, "-")
			if !isRange {
				high = low
			}
			from, err1 := strconv.Atoi(low)
			to, err2 := strconv.Atoi(high)
			for core := from; err1 == nil && err2 == nil && core <= to; core++ {
				cores = append(cores, core)
			}
		}
	}
	return cores
}
