#!/bin/sh
# Proves the README's two commands on a bare Debian 12: makes one with debootstrap in a temporary folder,
# lends it a Swift toolchain, clones this repository's HEAD into it and runs `make run` and `make test` there.
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

[ "$(id -u)" -eq 0 ] || {
  echo "scripts/fresh-machine.sh: needs root, for debootstrap and chroot" >&2
  exit 1
}
command -v debootstrap >/dev/null || {
  echo "scripts/fresh-machine.sh: debootstrap is missing: apt-get install debootstrap" >&2
  exit 1
}

# What https://www.swift.org/install/linux/ asks for on Debian 12, and the two programs the README names.
prerequisites="binutils-gold gcc git libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev
  libsqlite3-dev libxml2-dev pkg-config tzdata uuid-dev make"

root=$(mktemp -d "${TMPDIR:-/tmp}/pushbox-fresh-XXXXXX")
clean_up() {
  # Nothing is removed below a mount that would not go: it is the host's.
  for mount in proc dev opt/swift; do
    ! mountpoint -q "$root/$mount" || umount "$root/$mount" || return
  done
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root DEBIAN_FRONTEND=noninteractive \
    PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# mktemp lets only root in, and a test starts the server as another user.
chmod 755 "$root"
debootstrap --variant=minbase bookworm "$root" "$mirror"
# Name resolution and access to the mirror are the host's.
cp /etc/resolv.conf "$root/etc/"
for file in /etc/apt/apt.conf.d/*proxy*; do
  [ ! -e "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/"
done
mkdir -p "$root/opt/swift"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind -o ro "$toolchain" "$root/opt/swift"
inside apt-get update -qq
# The list is split into words on purpose.
# shellcheck disable=SC2086
inside apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $prerequisites
git clone -q "$repository" "$root/srv/pushbox"
inside make -C /srv/pushbox --no-print-directory run
inside make -C /srv/pushbox --no-print-directory test
