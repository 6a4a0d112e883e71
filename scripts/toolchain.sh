#!/bin/sh
# Checks that a Swift toolchain is there and new enough.
set -eu

required=6.2

fail() {
  echo "pushbox: $1" >&2
  exit 1
}

command -v swift >/dev/null 2>&1 ||
  fail "no Swift toolchain in PATH: install Swift $required or newer (https://www.swift.org/install/linux/), then try again"
# A toolchain that lacks a library of its own says so itself, on standard error.
version=$(swift --version) || fail "'swift --version' fails: install what https://www.swift.org/install/linux/ lists for your system"
version=$(printf '%s\n' "$version" | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
major=${version%%.*}
minor=${version#*.}
[ "${major:-0}" -gt "${required%%.*}" ] ||
  { [ "${major:-0}" -eq "${required%%.*}" ] && [ "${minor:-0}" -ge "${required#*.}" ]; } ||
  fail "Swift ${version:-of unknown version} is too old: install Swift $required or newer (https://www.swift.org/install/linux/)"
