# For scripts that need a bare Debian 12: makes one with debootstrap in a temporary folder, and removes it when
# the script ends. Sourced, with $mirror set, and $path (with a colon at the end) and $mounts if there is more;
# gives $root and the functions `inside` and `install_inside`. Without $mirror it is the one that apt uses here.
# Where the machine does not allow it, the script ends with status 77: nothing was tested.
# shellcheck shell=sh

not_run() {
  echo "$0: NOT RUN, since this machine cannot make a bare Debian: $1" >&2
  exit 77
}

[ "$(id -u)" -eq 0 ] || not_run "debootstrap and chroot need root"
command -v debootstrap >/dev/null || not_run "debootstrap is missing: apt-get install debootstrap"
if [ -z "${mirror:-}" ]; then
  # The words in $() are apt's, not the shell's.
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' \
    'Component: main' 2>/dev/null | head -n 1)
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/pushbox-chroot-XXXXXX")
# Mounts within the chroot, for removal.
mounts=${mounts:-proc dev/pts dev}

clean_up() {
  # Nothing is removed below a mount that would not go: it is the host's.
  for mount in $mounts; do
    ! mountpoint -q "$root/$mount" || umount "$root/$mount" || return
  done
  rm -rf --one-file-system "$root" "$root.log"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root DEBIAN_FRONTEND=noninteractive \
    PATH="${path:-}/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
}

install_inside() {
  inside apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 \
    -o Dpkg::Options::=--force-confold "$@" >/dev/null
}

# mktemp lets only root in, and the server runs as another user.
chmod 755 "$root"
mirror=${mirror:-http://deb.debian.org/debian}
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
  not_run "debootstrap from $mirror fails: $(tail -n 3 "$root.log")"
# Name resolution and access to the mirror are the host's.
cp /etc/resolv.conf "$root/etc/"
printf "127.0.0.1 localhost\n" >"$root/etc/hosts"
for file in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf.d/99*; do
  [ ! -e "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/"
done
if ! mount -t proc proc "$root/proc" || ! mount --bind /dev "$root/dev" ||
  ! mount --bind /dev/pts "$root/dev/pts"; then
  not_run "mount is not allowed"
fi
# Packages must not start daemons here.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
inside apt-get update -qq
