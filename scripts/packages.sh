#!/bin/sh
# Installs the Debian packages that building, running and testing pushbox need and this machine lacks, and
# those named as arguments. Runs no apt when none is missing.
set -eu

# ca-certificates: the roots with which pushbox checks APNs and FCM. g++: the C++ library that Swift links.
packages="ca-certificates g++ liblmdb-dev libnghttp2-dev libssl-dev pkg-config $*"

fail() {
  echo "pushbox: $1" >&2
  exit 1
}

command -v dpkg-query >/dev/null 2>&1 || {
  # Not Debian: its own names are unknown here, but pkg-config knows whether the libraries are there.
  for library in lmdb libnghttp2 openssl; do
    pkg-config --exists "$library" 2>/dev/null ||
      fail "pkg-config does not find $library: install your system's development packages of LMDB, nghttp2 and OpenSSL"
  done
  exit 0
}

missing=""
for package in $packages; do
  case $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true) in
  installed*) ;;
  *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

[ "$(id -u)" -eq 0 ] ||
  fail "missing packages; run this, then try again: sudo apt-get install --no-install-recommends$missing"

echo "pushbox: installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq || fail "'apt-get update' failed: check the network and /etc/apt, then try again"
# The list is split into words on purpose.
# shellcheck disable=SC2086
apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $missing >/dev/null ||
  fail "apt-get could not install$missing: see its message above"
