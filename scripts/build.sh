#!/bin/sh
# Builds the release binary, dist/pushbox: the Swift runtime inside, no symbols. Arguments: further products
# to build beside it.
set -eu
cd "$(dirname "$0")/.."

for product in pushbox "$@"; do
  swift build -c release --static-swift-stdlib --product "$product"
done
mkdir -p dist
# Written aside and moved, so that a running dist/pushbox can be replaced.
strip -o dist/pushbox.new "$(swift build -c release --show-bin-path)/pushbox"
mv dist/pushbox.new dist/pushbox
echo "pushbox: built dist/pushbox ($(($(wc -c <dist/pushbox) / 1048576)) MiB)"
