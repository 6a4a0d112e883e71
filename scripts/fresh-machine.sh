#!/bin/sh
# Proves the README's commands on a bare Debian 12: makes one with debootstrap in a temporary folder, lends it a
# Swift toolchain, clones this repository's HEAD into it and runs `make run`, `make dist` and `make test` there.
# What comes after `make dist` in the README is proved by scripts/test-package.sh.
# Root only; removes what it made.
set -eu

if [ $# -lt 1 ] || [ ! -x "$1/usr/bin/swift" ]; then
  echo "Usage: scripts/fresh-machine.sh TOOLCHAIN [MIRROR]
  TOOLCHAIN  folder that holds usr/bin/swift
  MIRROR     of Debian; without it http://deb.debian.org/debian" >&2
  exit 2
fi
toolchain=$(cd "$1" && pwd)
mirror=${2:-http://deb.debian.org/debian}
repository=$(cd "$(dirname "$0")/.." && pwd)

# What https://www.swift.org/install/linux/ asks for on Debian 12, and the two programs the README names.
prerequisites="binutils-gold gcc git libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev
  libsqlite3-dev libxml2-dev pkg-config tzdata uuid-dev make"

path=/opt/swift/usr/bin:
mounts="proc dev/pts dev opt/swift"
# shellcheck source=scripts/chroot.sh
. "$repository/scripts/chroot.sh"
mkdir -p "$root/opt/swift"
mount --bind -o ro "$toolchain" "$root/opt/swift"
# The list is split into words on purpose.
# shellcheck disable=SC2086
install_inside $prerequisites
git clone -q "$repository" "$root/srv/pushbox"
inside make -C /srv/pushbox --no-print-directory run
inside make -C /srv/pushbox --no-print-directory dist
# To be compared with what other machines make of the same commit.
inside sh -c 'cd /srv/pushbox/dist && sha256sum *'
inside make -C /srv/pushbox --no-print-directory test
