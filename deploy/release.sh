#!/bin/sh
# Makes what people download of the last commit, in a new folder: sh deploy/release.sh [FOLDER], dist by default. Needs git, Go and npm.
# With the same Go, each run makes the same bytes: it builds a clone, no path gets into a program, and files have the time of the commit.
#
#   pubd-VERSION-linux-ARCH.tar.gz    the program, completions for shells, the documents, and deploy
#   pubd-VERSION-linux-ARCH.sbom.txt  the modules in the program, with their checksums, as go version -m prints them
#   pubd-client-VERSION.tgz           the npm package of the client
#   SHA256SUMS
set -eu
umask 022
mkdir "${1:-dist}"
out=$(cd "${1:-dist}" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
git clone -q . "$temp/source"
cd "$temp/source"
version=$(git describe --tags --always)
time=$(git log -1 --format=%ct)
export CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOFLAGS='-trimpath -buildvcs=true'

if git tag --points-at HEAD | grep -qx "$version" && ! grep -q "\"version\": \"${version#v}\"" httpapi/client/package.json; then
	echo "httpapi/client/package.json: its version must be ${version#v}, that of the tag" >&2
	exit 1
fi
mkdir "$temp/completion"
go build -o "$temp/pubd" ./cmd/pubd # for this machine; its scripts name it by its path
for shell in bash zsh fish; do
	"$temp/pubd" completion $shell | sed "s|$temp/pubd|pubd|" > "$temp/completion/pubd.$shell"
done
for arch in amd64 arm64; do
	name=pubd-$version-linux-$arch
	mkdir -p "$temp/$name/docs"
	GOOS=linux GOARCH=$arch go build -ldflags '-s -w' -o "$temp/$name/pubd" ./cmd/pubd
	(cd "$temp/$name" && go version -m pubd) > "$out/$name.sbom.txt"
	cp -R README.md CHANGELOG.md deploy "$temp/completion" "$temp/$name"
	cp docs/*.md docs/*.png "$temp/$name/docs"
	tar --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner -C "$temp" -c "$name" | gzip -9n > "$out/$name.tar.gz"
done
(cd httpapi/client && npm pack --silent --pack-destination "$out" > "$temp/npm")
cd "$out"
sha256sum pubd-* > SHA256SUMS
cat SHA256SUMS
