#!/bin/sh
# Packs dist/pushbox: a tarball and, where dpkg-deb is, a Debian package, with the same bytes for the same input.
# Run scripts/build.sh before.
set -eu
cd "$(dirname "$0")/.."
umask 022

version=$(sed -n 's/.*static let text = "\(.*\)"/\1/p' Sources/pushbox/Version.swift)
# All times are that of the newest entry.
SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' packaging/debian/changelog | head -n 1)" +%s)
export SOURCE_DATE_EPOCH
machine=$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

[ -x dist/pushbox ] || {
  echo "pushbox: there is no dist/pushbox: run make build" >&2
  exit 1
}
[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)" = "$version" ] || {
  echo "pushbox: packaging/debian/changelog has another version than Version.swift, $version" >&2
  exit 1
}

# MODE SOURCE TARGET
put() {
  install -D -m "$1" "$2" "$3"
}

# The files that both packages have, below a prefix.
put_common() {
  put 755 dist/pushbox "$1/bin/pushbox"
  put 644 packaging/man/pushbox.1 "$1/share/man/man1/pushbox.1"
  put 644 packaging/completions/pushbox.bash "$1/share/bash-completion/completions/pushbox"
  put 644 packaging/completions/_pushbox "$1/share/zsh/vendor-completions/_pushbox"
  put 644 packaging/completions/pushbox.fish "$1/share/fish/vendor_completions.d/pushbox.fish"
  for file in README.md config.toml.example docs/*.md; do
    put 644 "$file" "$1/share/doc/pushbox/$(basename "$file")"
  done
  for file in packaging/caddy/Caddyfile packaging/nginx/pushbox.conf packaging/systemd/pushbox.socket; do
    put 644 "$file" "$1/share/doc/pushbox/examples/$(basename "$file")"
  done
}

set_times() {
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# The tarball: unpacked into /usr/local, but for the unit and the configuration.
name=pushbox-$version-linux-$machine
put_common "$stage/$name"
put 644 LICENSE "$stage/$name/share/doc/pushbox/LICENSE"
sed 's|/usr/bin/pushbox|/usr/local/bin/pushbox|' packaging/systemd/pushbox.service >"$stage/unit"
put 644 "$stage/unit" "$stage/$name/lib/systemd/system/pushbox.service"
set_times "$stage/$name"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
  gzip -9n >"dist/$name.tar.gz"
echo "pushbox: packed dist/$name.tar.gz ($(($(wc -c <"dist/$name.tar.gz") / 1024)) KiB)"

command -v dpkg-deb >/dev/null || exit 0
architecture=$(dpkg --print-architecture)
root=$stage/deb
doc=$root/usr/share/doc/pushbox
put_common "$root/usr"
put 644 packaging/systemd/pushbox.service "$root/lib/systemd/system/pushbox.service"
put 644 config.toml.example "$root/etc/pushbox/config.toml"
put 644 packaging/debian/copyright "$doc/copyright"
gzip -9n <packaging/debian/changelog >"$doc/changelog.gz"
gzip -9n "$root/usr/share/man/man1/pushbox.1"

mkdir -p "$root/DEBIAN" "$stage/source/debian"
echo /etc/pushbox/config.toml >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do
  put 755 "packaging/debian/$script" "$root/DEBIAN/$script"
done
# dpkg-shlibdeps wants a source package around it.
printf 'Source: pushbox\n\nPackage: pushbox\nArchitecture: any\n' >"$stage/source/debian/control"
libraries=$(cd "$stage/source" && dpkg-shlibdeps -O "$root/usr/bin/pushbox" 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
size=$(du -k -s --apparent-size "$root" | cut -f 1)
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" \
  -e "s/@DEPENDS@/adduser, ca-certificates, $libraries/" packaging/debian/control.in >"$root/DEBIAN/control"
(cd "$root" && find usr lib -type f -exec md5sum {} + | sort -k 2 >DEBIAN/md5sums)
set_times "$root"
dpkg-deb --root-owner-group -Zxz --build "$root" "dist/pushbox_${version}_$architecture.deb" >/dev/null
echo "pushbox: packed dist/pushbox_${version}_$architecture.deb ($(($(wc -c <"dist/pushbox_${version}_$architecture.deb") / 1024)) KiB)"
