#!/bin/sh
# Prints what pubd takes for directories of some sizes, the tables of docs/operations.md and docs/scaling.md:
# sh bench/sizing.sh [PUBS...]
# They are made up, and have what pubd import finds in good lists: addresses, features, opening hours, and the extra columns phone and
# website. Times and memory depend on the machine, and on what else it does. Needs Go, curl, Linux, and the ports below.
set -eu
[ $# -gt 0 ] || set -- 50000 1000000
api=127.0.0.1:18088
admin=127.0.0.1:18089
server=
temp=$(mktemp -d)
trap '[ -z "$server" ] || kill "$server"; rm -rf "$temp"' EXIT
go build -o "$temp/pubd" ./cmd/pubd
cd "$temp"

peak() { awk '/VmHWM/ {print int($2 / 1024)}' "/proc/$1/status" 2> /dev/null || echo 0; }
snapshot() { curl -sf "$admin/readyz" | grep -o '"snapshot":"[^"]*"'; }
megabytes() { awk "BEGIN {printf \"%.0f MB\", $(stat -c %s "$1") / 1e6}"; }

start() { # file; sets server, took (seconds) and builder (MiB)
	begun=$(date +%s%N)
	./pubd serve --data "$1" --extra phone,website --listen $api --admin $admin --drain-delay 0s > log 2>&1 &
	server=$!
	builder=0
	until snapshot > served; do
		kill -0 "$server" || { cat log >&2; exit 1; }
		for child in $(pgrep -P "$server"); do
			size=$(peak "$child")
			[ "${size:-0}" -le "$builder" ] || builder=$size
		done
		sleep 0.01
	done
	took=$(awk "BEGIN {printf \"%.1f\", ($(date +%s%N) - $begun) / 1e9}")
}
processor() { cat /proc/$server/task/*/schedstat | awk '{sum += $1} END {print sum}'; }
ask() { # requests, a query in awk of the columns of a pub; prints the server's CPU time for each, asked one after the other
	awk -F, -v "n=$1" -v "every=$(($pubs / $1))" -v "api=http://$api/api/v1/pubs/?" \
		"NR > 1 && !/[\"&]/ && (NR - 2) % every == 0 && asked++ < n {query = $2; gsub(/ /, \"+\", query); print \"url=\" api query \"\\noutput=/dev/null\"}" 1.csv > asked
	for warm in yes no; do # the second time, what the first read is in memory
		before=$(processor)
		curl -sf -H 'x-api-key: demo' -K asked
	done
	awk "BEGIN {us = ($(processor) - $before) / 1000 / $(grep -c url asked); if (us < 1000) printf \"%.0f µs\", us; else printf \"%.1f ms\", us / 1000}"
}
stop() { kill "$server"; wait "$server"; server=; }

disk='| disk: snapshot, index file' pub='| index file, a pub' one='| memory of the server with one snapshot' two='| with two, after a reload'
built='| memory of the builder process' opened='| start with the index file' anew='| start with the snapshot, built anew'
lookup='| CPU: lookup' named='| a name and a town' near='| the 20 nearest within 2 km' relevant='| a name near a point, by relevance'
all='| all pubs by relevance, with all facets'
facets=location,trading,common_category,postcode,area,features,beer,atmos,fengshui,service,toilets,total,review_count
head='|' rule='|---'
for pubs; do
	for seed in 1 2; do
		./pubd sample --pubs "$pubs" --seed $seed 2> log |
			awk 'NR == 1 {print $0 ",phone,website"; next} {printf "%s,+44 20 7946 %04d,https://www.pub-%d.example.co.uk/\n", $0, NR % 10000, NR}' > $seed.csv
		./pubd build --force --extra phone,website $seed.csv $seed.idx > log 2>&1
	done
	disk="$disk | $(megabytes 1.csv), $(megabytes 1.idx)" pub="$pub | $(($(stat -c %s 1.idx) / pubs)) bytes"
	start 1.idx
	opened="$opened | $took s" one="$one | $(peak "$server") MiB"
	lookup="$lookup | $(ask 500 '"pubid=" $1')"
	named="$named | $(ask 500 '"search=" $2 "+" $3')"
	near="$near | $(ask 500 '"search=*&amount=20&distance=2&lat=" $5 "&lng=" $6')"
	relevant="$relevant | $(ask 500 '"search=" $2 "&near=" $5 "," $6')"
	all="$all | $(ask 5 '"search=pubs+with+garden&sort=relevance&distance=20000&amount=5&page=4000&facets='$facets'&lat=" $5 "&lng=" $6')"
	mv 2.idx 1.idx
	kill -HUP "$server"
	while snapshot | cmp -s served; do sleep 0.1; done
	two="$two | $(peak "$server") MiB"
	stop
	start 1.csv
	anew="$anew | $took s" built="$built | $builder MiB"
	stop
	head="$head | $pubs pubs" rule="$rule|--:"
done
printf '%s |\n' "$head" "$rule" "$disk" "$pub" "$one" "$two" "$built" "$opened" "$anew" "$lookup" "$named" "$near" "$relevant" "$all" | sed 's/^\(|-.*\) |$/\1|/'
