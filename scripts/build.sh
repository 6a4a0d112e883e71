#!/bin/sh
# Builds the release binary, dist/pushbox: the Swift runtime inside, no symbols. Arguments go to `swift build`.
set -eu
cd "$(dirname "$0")/.."

set -- -c release --static-swift-stdlib --product pushbox "$@"
swift build "$@"
mkdir -p dist
# Written aside and moved, so that a running dist/pushbox can be replaced.
strip -o dist/pushbox.new "$(swift build "$@" --show-bin-path)/pushbox"
mv dist/pushbox.new dist/pushbox
echo "pushbox: built dist/pushbox ($(($(wc -c <dist/pushbox) / 1048576)) MiB)"
