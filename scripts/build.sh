#!/bin/sh
# Builds the release binary, dist/pushbox: the Swift runtime inside, no symbols, the same bytes whatever folder
# it is built in. Arguments: further products to build beside it.
set -eu
cd "$(dirname "$0")/.."

for product in pushbox "$@"; do
  swift build -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now \
    --product "$product"
done
mkdir -p dist
# Written aside and moved, so that a running dist/pushbox can be replaced.
new=dist/pushbox.new
strip -R .comment -o "$new" "$(swift build -c release --show-bin-path)/pushbox"

# Two sections follow from the folder of the build: the compiler's hash for incremental builds, which nothing
# reads at run time, and the build ID. The first becomes zero, the second a hash of the rest.
section_size() {
  readelf -SW "$new" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v name="$1" '$1 == name { print "0x" $5 }'
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in .swift_modhash .note.gnu.build-id; do
  size=$(section_size "$name")
  [ -n "$size" ] || continue
  head -c "$((size))" /dev/zero >"$scratch/zeros"
  objcopy --update-section "$name=$scratch/zeros" "$new"
done
if [ "$(section_size .note.gnu.build-id)" = 0x000024 ]; then
  # ELF note of GNU: sizes of name and hash, type NT_GNU_BUILD_ID, name, SHA-1.
  {
    printf '\004\000\000\000\024\000\000\000\003\000\000\000GNU\000'
    # The format is made of digits.
    # shellcheck disable=SC2059
    for byte in $(sha1sum "$new" | cut -c 1-40 | sed 's/../& /g'); do
      printf "\\$(printf %03o "0x$byte")"
    done
  } >"$scratch/note"
  objcopy --update-section ".note.gnu.build-id=$scratch/note" "$new"
fi
mv "$new" dist/pushbox
echo "pushbox: built dist/pushbox ($(($(wc -c <dist/pushbox) / 1048576)) MiB)"
