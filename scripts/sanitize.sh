#!/bin/sh
# Runs every test under a sanitizer: `scripts/sanitize.sh thread` or `scripts/sanitize.sh address`.
set -eu
cd "$(dirname "$0")/.."

# The runtime's own crash handler and the thread sanitizer trip over each other.
export SWIFT_BACKTRACE=enable=no
case ${1-} in
thread) scratch=.build-tsan ;;
address)
  scratch=.build-asan
  # A loop and its connections refer to each other, and a process that ends does not take them apart: the
  # leak check would report what was alive at exit. ASAN_OPTIONS=detect_leaks=1 shows it.
  export ASAN_OPTIONS="${ASAN_OPTIONS-detect_leaks=0}"
  ;;
*)
  echo "Usage: scripts/sanitize.sh thread|address" >&2
  exit 2
  ;;
esac
exec swift test --disable-xctest --sanitize="$1" --scratch-path "$scratch"
