package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
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

// ticksPerSecond is the unit of processor times in /proc, the same on all of Linux's architectures.
const ticksPerSecond = 100

// processorTime is what the processes of a group have used so far.
func processorTime(group int) time.Duration {
	entries, _ := os.ReadDir("/proc")
	ticks := 0
	for _, entry := range entries {
		if name := entry.Name(); name[0] < '1' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // ended meanwhile
		}
		// After the name, which is in brackets and may hold anything: state, parent, group and so on.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 12 && fields[2] == strconv.Itoa(group) {
			user, _ := strconv.Atoi(fields[11])
			system, _ := strconv.Atoi(fields[12])
			ticks += user + system
		}
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond
}

// loadAverage is that of the last minute.
func loadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}
