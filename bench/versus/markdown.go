package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// markdown is the report for people.
func (r *report) markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `# pubd beside nginx, and beside what one would pick instead

Answers a second, each server alone on one core and wrk on another, %d connections kept alive. pubd runs with its
defaults: keys are checked, requests are counted, errors are logged, answers have an ETag. nginx has one worker, no
access log and all files open, and sends the very bodies that pubd sends, from files. In each round, of %d, each server has
the requests of each class for %d s; the median counts. The requests of a class, %d, are drawn as people ask: common ones
come more often.

![Answers a second](%s.svg)

`, connections, r.Rounds, r.Seconds, r.Requests, r.Suite.file)
	r.writeRatios(&b)
	r.writeOthers(&b)
	r.writeRequests(&b)
	r.writeRounds(&b)
	r.writeMachine(&b)
	return []byte(b.String())
}

func (r *report) writeRatios(b *strings.Builder) {
	if r.nginx() < 0 {
		return
	}
	b.WriteString("## Against nginx\n\nThe ratio is pubd's rate divided by nginx's in the same round: least – median – greatest. *Disturbed* is where one " +
		"of them could not use its core: other programs ran, or wrk was the limit. There the ratio of their answers by processor time says more. *Reach* is the ratio that must be met, *aim* the one that is hoped for.\n\n")
	row(b, "class", "pubd /s", "nginx /s", "ratio", "by processor time", "reach", "aim", "met")
	rule(b, 1, 7)
	for i := range r.Classes {
		c := &r.Classes[i]
		all := r.ratios(c)
		ratio := median(all)
		row(b, c.Name, count(median(c.Rates[0])), count(median(c.Rates[r.nginx()])),
			fmt.Sprintf("%s – **%s** – %s", decimal(slices.Min(all)), decimal(ratio), decimal(slices.Max(all))),
			decimal(median(r.processorRatios(c))), decimal(c.Target.reach), decimal(c.Target.aim), r.met(c))
	}
	row(b, "geometric mean", "", "", "**"+decimal(r.overall(r.ratios))+"**", decimal(r.overall(r.processorRatios)), decimal(r.Suite.overall.reach), decimal(r.Suite.overall.aim), r.metOverall())
	b.WriteByte('\n')
}

func (r *report) writeOthers(b *strings.Builder) {
	others := r.others()
	if len(others) == 0 {
		return
	}
	b.WriteString("## Against what one would pick instead\n\nThe same directory and requests; answers a second, and how many times as many " +
		"pubd gives. The answers are alike, not equal.\n\n")
	for _, other := range others {
		fmt.Fprintf(b, "- %s %s.\n", r.Contenders[other], r.Notes[other])
	}
	b.WriteByte('\n')
	cells := []string{"class", "pubd /s"}
	for _, other := range others {
		cells = append(cells, r.Contenders[other]+" /s", "times")
	}
	row(b, cells...)
	rule(b, 1, len(cells)-1)
	for i := range r.Classes {
		c := &r.Classes[i]
		pubd := median(c.Rates[0])
		cells := []string{c.Name, count(pubd)}
		for _, other := range others {
			rate := median(c.Rates[other])
			cells = append(cells, count(rate), times(pubd/rate))
		}
		row(b, cells...)
	}
	b.WriteByte('\n')
}

func (r *report) writeRequests(b *strings.Builder) {
	b.WriteString("## Requests and answers\n\nMeans over the requests, of pubs over a sample of them. *Busy* is the part of its core that a server used.\n\n")
	cells := []string{"class", "distinct requests", "body, bytes"}
	for i, name := range r.Contenders {
		if name != nginxName {
			cells = append(cells, "pubs, "+r.Contenders[i])
		}
	}
	cells = append(cells, "busy, pubd")
	if r.nginx() >= 0 {
		cells = append(cells, "busy, nginx")
	}
	row(b, cells...)
	rule(b, 1, len(cells)-1)
	for _, c := range r.Classes {
		cells := []string{c.Name, count(float64(c.Distinct)), count(c.BodySize)}
		for i, name := range r.Contenders {
			if name != nginxName {
				cells = append(cells, decimal(c.Pubs[i]))
			}
		}
		cells = append(cells, percent(median(c.Busy[0])))
		if r.nginx() >= 0 {
			cells = append(cells, percent(median(c.Busy[r.nginx()])))
		}
		row(b, cells...)
	}
	b.WriteByte('\n')
}

// writeRounds tells the rates of every round.
func (r *report) writeRounds(b *strings.Builder) {
	b.WriteString("## Rounds\n\nAnswers a second in the order of the rounds.\n\n")
	row(b, append([]string{"class"}, r.Contenders...)...)
	rule(b, 1, len(r.Contenders))
	for _, c := range r.Classes {
		cells := []string{c.Name}
		for _, rates := range c.Rates {
			var text []string
			for _, rate := range rates {
				text = append(text, count(rate))
			}
			cells = append(cells, strings.Join(text, " · "))
		}
		row(b, cells...)
	}
	b.WriteByte('\n')
}

func (r *report) writeMachine(b *strings.Builder) {
	m := &r.Machine
	b.WriteString("## Machine\n\n")
	row(b, "", "")
	rule(b, 2, 0)
	for _, cells := range [][]string{
		{"processor", fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)},
		{"kernel", m.Kernel},
		{"Go", m.Go},
		{"commit", m.Commit},
		{"date", m.Date.Format(time.RFC3339)},
		{"load average before", decimal(m.Load)},
		{"kept by the host meanwhile", fmt.Sprintf("%.1f %% of the cores' time", 100*r.Kept)},
		{"directory", r.Data},
		{"others", strings.Join(r.Tools, ", ")},
	} {
		row(b, cells...)
	}
}

func row(b *strings.Builder, cells ...string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

// rule is the line below the headings of a table: columns of text, then of numbers.
func rule(b *strings.Builder, text, numbers int) {
	b.WriteString(strings.Repeat("|---", text) + strings.Repeat("|--:", numbers) + "|\n")
}
