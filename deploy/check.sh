#!/bin/sh
# Checks the files of deploy that have a tool of their own, if installed, that alerts are documented and only use metrics that exist, and that pubd has
# the flags it is started with. Run it from the root of the repository; it leaves nothing behind.
set -u
PATH=$PATH:/usr/sbin
failed=0
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT

check() { # file, tool, arguments of the tool
	if ! command -v "$2" > /dev/null; then
		echo "SKIP $1: $2 is not installed"
		return
	fi
	file=$1
	shift
	if "$@" > "$temp/out" 2>&1; then
		echo "ok $file: $1"
	else
		cat "$temp/out"
		echo "FAILED $file: $*"
		failed=1
	fi
}

# Things the machine need not have, such as the binary, and files that nginx opens or creates are in $temp.
sed 's|/usr/local/bin/pubd|/bin/true|' deploy/pubd.service > "$temp/pubd.service"
sed -e "s|/var/log/nginx|$temp|; s|listen 80;|listen unix:$temp/socket;|; s|^user .*|pid $temp/pid;|" \
	-e "s|^http {|& client_body_temp_path $temp/1; proxy_temp_path $temp/2; fastcgi_temp_path $temp/3; uwsgi_temp_path $temp/4; scgi_temp_path $temp/5;|" \
	deploy/nginx.conf > "$temp/nginx.conf"

check deploy/Containerfile hadolint deploy/Containerfile
check deploy/pubd.service systemd-analyze verify "$temp/pubd.service"
check deploy/haproxy.cfg haproxy -dW -c -f deploy/haproxy.cfg
check deploy/nginx.conf nginx -t -e stderr -p "$temp" -c "$temp/nginx.conf"
check deploy/grafana.json python3 -m json.tool deploy/grafana.json
check deploy/prometheus.yaml promtool check config deploy/prometheus.yaml
check deploy/alerts_test.yaml promtool test rules deploy/alerts_test.yaml

# Any tool that builds images must find the same ones: each has a registry in its name, or is scratch.
for image in $(sed -n 's/^FROM *\([^ ]*\).*/\1/p' deploy/Containerfile); do
	echo "$image" | grep -Eq '^(scratch$|[a-z0-9-]+(\.[a-z0-9-]+)+/)' || { echo "FAILED $image: names no registry"; failed=1; }
done
# The image is built of what .dockerignore leaves.
if command -v go > /dev/null; then
	git ls-files $(sed -n 's/^[^#]/:!:&/p' .dockerignore) | tar -c -T - | tar -x -C "$temp"
	check .dockerignore go -C "$temp" list -deps ./cmd/pubd
fi
# Replicas believe what a load balancer says of its clients only if they trust it.
for file in deploy/kubernetes.yaml deploy/kubernetes-file.yaml deploy/pubd.service; do
	grep -Eq -- '--trusted-proxies[= ][0-9.]+/[0-9]+' "$file" || { echo "FAILED $file: has no --trusted-proxies"; failed=1; }
done
# One site with IPv6 is one client, as it is in pubd, whichever of its addresses it uses.
for limit in 'haproxy.cfg:ipmask(32,48)' 'nginx.conf:.{6}).{10}'; do
	grep -qF -- "${limit#*:}" "deploy/${limit%%:*}" || { echo "FAILED ${limit%%:*}: does not limit IPv6 clients by /48"; failed=1; }
done
for alert in $(sed -n 's/.*- alert: *//p' deploy/alerts.yaml); do
	grep -Eq "^#+ $alert\$" docs/operations.md || { echo "FAILED $alert: has no heading in docs/operations.md"; failed=1; }
	grep -q "runbook_url: .*/docs/operations.md#$(echo "$alert" | tr A-Z a-z)\$" deploy/alerts.yaml || { echo "FAILED $alert: has no runbook_url"; failed=1; }
done
# A histogram is exposed under three names; go_ and process_ come from the standard collectors.
for metric in $(grep -Eoh 'pubd_[a-z_]+' deploy/alerts.yaml deploy/grafana.json | sed -E 's/(seconds)_(bucket|sum|count)$/\1/' | sort -u); do
	grep -qF "\"$metric\"" httpapi/ops/exporter.go cmd/pubd/serve/log.go || { echo "FAILED $metric: is not a metric"; failed=1; }
done
for flag in $(sed -n '/^ *args:/,/^ *ports:/p' deploy/kubernetes*.yaml | grep -Eo -- '--[a-z-]+') $(grep '^ExecStart=' deploy/pubd.service | grep -Eo -- '--[a-z-]+'); do
	grep -Eq -- "^ +$flag(=|\$| )" cmd/pubd/testdata/help/pubd-serve.txt || { echo "FAILED $flag: is not a flag of pubd serve"; failed=1; }
done
exit $failed
