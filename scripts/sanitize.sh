#!/bin/sh
# Runs every test under a sanitizer: `scripts/sanitize.sh thread` or `scripts/sanitize.sh address`.
set -eu
cd "$(dirname "$0")/.."

# The runtime's own crash handler and the thread sanitizer trip over each other.
export SWIFT_BACKTRACE=enable=no
case ${1-} in
thread) scratch=.build-tsan ;;
address) scratch=.build-asan ;;
*)
  echo "Usage: scripts/sanitize.sh thread|address" >&2
  exit 2
  ;;
esac
exec swift test --disable-xctest --sanitize="$1" --scratch-path "$scratch"
