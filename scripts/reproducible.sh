#!/bin/sh
# Proves that `make dist` gives the same bytes wherever and by whom it is run: clones HEAD into two folders, packs
# in both, under another umask, time zone and language, and compares. Removes what it made.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# Both at once, so that a commit meanwhile makes no difference.
for folder in one another/and/deeper; do git clone -q "$repository" "$scratch/$folder"; done

# FOLDER UMASK TIMEZONE LANGUAGE
pack() {
  (
    umask "$2"
    TZ=$3 LC_ALL=$4 make -C "$scratch/$1" --no-print-directory dist
  )
}
pack one 022 UTC C
pack another/and/deeper 077 Asia/Tokyo C.UTF-8

status=0
for file in "$scratch"/one/dist/*; do
  name=$(basename "$file")
  if cmp -s "$file" "$scratch/another/and/deeper/dist/$name"; then
    echo "pushbox: the same twice: $(sha256sum <"$file" | cut -c 1-64)  $name"
  else
    echo "pushbox: $name differs between two builds: diffoscope tells where" >&2
    status=1
  fi
done
exit $status
