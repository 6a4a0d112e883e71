#!/bin/sh
# Feeds one target of Fuzz/Targets random input, guided by coverage: `scripts/fuzz.sh TARGET SECONDS`, with
# libFuzzer and the address sanitizer of the Swift toolchain. What it learns is kept in .build-fuzz/corpus,
# an input that ends the process in .build-fuzz/found: fix the cause and move the input to
# Fuzz/Corpus/TARGET, where `make test` runs it for good. Without arguments: the targets' names.
set -eu
cd "$(dirname "$0")/.."

targets=$(sed -n 's/.*= FuzzTarget("\([A-Za-z0-9]*\)".*/\1/p' Fuzz/Targets/*.swift)
if [ $# -eq 0 ]; then
  echo "$targets"
  exit 0
fi
target=$1
seconds=${2:-60}
echo "$targets" | grep -qx "$target" || {
  echo "scripts/fuzz.sh: no target $target; there are:" $targets >&2
  exit 2
}

scratch=.build-fuzz
sanitize=-sanitize=fuzzer,address
# Compiled by SwiftPM, linked here: libFuzzer brings a main function of its own. gold, the linker that Swift
# takes on Debian, fails on what the sanitizer emits.
swift build -c release --target FuzzTargets --scratch-path $scratch \
  -Xswiftc $sanitize -Xswiftc -use-ld=lld
products=$(swift build -c release --show-bin-path --scratch-path $scratch)
# SwiftPM leaves the object of a source that was moved or deleted where it was.
find "$products" -name '*.swift.o' | while read -r object; do
  module=$(basename "$(dirname "$object")" .build)
  sources=Sources/$module
  [ "$module" != FuzzTargets ] || sources=Fuzz/Targets
  [ ! -d "$sources" ] || [ -n "$(find "$sources" -name "$(basename "$object" .o)")" ] || rm "$object"
done
# Every module that FuzzTargets stands on: nothing else was compiled. The lists are split into words.
# shellcheck disable=SC2046
swiftc $sanitize -use-ld=lld $(find "$products" -path '*-tool.build' -prune -o -name '*.o' -print) \
  $(pkg-config --libs libnghttp2 openssl lmdb) -o $scratch/fuzz

mkdir -p "$scratch/corpus/$target" "$scratch/found"
export SWIFT_BACKTRACE=enable=no PUSHBOX_FUZZ_TARGET="$target"
exec $scratch/fuzz "$scratch/corpus/$target" "Fuzz/Corpus/$target" -max_total_time="$seconds" -max_len=4096 \
  -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$scratch/found/$target-"
