#!/bin/sh
# Tests dist/pushbox_*.deb in a bare Debian 12: installs it, follows the README until a push arrives at the mock
# gateway through Caddy with TLS, upgrades with the data kept, removes and purges it, and asks lintian.
# Root only. `make package-test` builds what it needs.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
mirror=${1-}
# Made by chroot.sh.
root=""
package=$(ls "$repository"/dist/pushbox_*.deb)
mock=$(cd "$repository" && swift build -c "${PUSHBOX_MOCK_BUILD:-debug}" --show-bin-path)/mockgateway
started=""

say() {
  echo "== $1"
}

fail() {
  echo "test-package: $1" >&2
  exit 1
}

# shellcheck source=scripts/chroot.sh
. "$repository/scripts/chroot.sh"
clean_up_package_test() {
  for pid in $started; do kill "$pid" 2>/dev/null || true; done
  for file in "$root"/run/shim/*.pid; do
    [ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
  done
  sleep 1
  clean_up
}
trap clean_up_package_test EXIT

say "mock gateway"
mkdir "$root/mock"
"$mock" "$root/mock" 127.0.0.1:8080 >"$root/mock/addresses" 2>&1 &
started=$!
for _ in $(seq 100); do
  [ ! -s "$root/mock/addresses" ] || break
  sleep 0.1
done

# The README's path: its `sh` and `toml` blocks between two headings, as they stand but for what is listed here.
say "the README's path"
address() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$root/mock/addresses"
}
mock_value() {
  sed -n "s/^ *$1 = \"\(.*\)\"/\1/p" "$root/mock/config.toml" | head -n 1
}
# systemctl without systemd: starts and stops what the unit says.
install -m 755 "$repository/packaging/test/systemctl" "$root/usr/local/bin/systemctl"
mkdir -p "$root/run/shim" "$root/root"
cp "$package" "$root/root/"
# Apple's and Google's endpoints are the mock's, whose authority is trusted.
cat >"$root/run/shim/environment" <<END
PUSHBOX_APNS_PRODUCTION_ENDPOINT=$(address apns)
PUSHBOX_APNS_SANDBOX_ENDPOINT=$(address apns_sandbox)
PUSHBOX_APNS_CA_FILE=/mock/ca.pem
PUSHBOX_FCM_ENDPOINT=$(address fcm)
PUSHBOX_FCM_CA_FILE=/mock/ca.pem
PUSHBOX_LOG_LEVEL=debug
END
cp "$root/mock/apns.p8" "$root/root/AuthKey_ABCDE12345.p8"
cp "$root/mock/service-account.json" "$root/root/"
chmod 755 "$root/mock"
chmod 644 "$root"/mock/*
echo "127.0.0.1 push.example.com relay.walletconnect.com" >>"$root/etc/hosts"
install_inside curl openssl
# The Ed25519 seed as PKCS #8 (RFC 8410, section 7).
{
  printf '\060\056\002\001\000\060\005\006\003\053\145\160\004\042\004\040'
  for byte in $(sed 's/../& /g' "$root/mock/relay.seed"); do
    # shellcheck disable=SC2059
    printf "\\$(printf %03o "0x$byte")"
  done
} >"$root/root/relay.der"

sed -n '/^## From a fresh VPS/,/^## /p' "$repository/README.md" |
  awk '
    /^ *```sh$/ { inside = 1; next }
    /^ *```$/ { inside = 0; next }
    inside { sub(/^   /, ""); print }
  ' >"$root/root/path.sh"
# No tool chain here: the package is built already. Caddy issues the certificate itself.
sed -i \
  -e '/^git clone/d' -e '/^make dist$/d' -e 's|\./dist/|./|' \
  -e 's|apt-get install|apt-get install -qq -y --no-install-recommends|' \
  -e "s|\$(curl -fsS https://relay.walletconnect.com/public-key)|$(mock_value public_key)|" \
  -e "s/ABCDE12345\"/$(mock_value key_id)\"/" -e "s/FGHIJ67890\"/$(mock_value team_id)\"/" \
  -e "s/com.example.wallet\"/$(mock_value topic)\"/" \
  -e 's|^systemctl reload caddy$|printf "{\\n local_certs\\n default_bind 127.0.0.1\\n}\\n" \| cat - /etc/caddy/Caddyfile >/tmp/c \&\& cp /tmp/c /etc/caddy/Caddyfile; &|' \
  "$root/root/path.sh"
cat "$root/root/path.sh"
inside sh -c 'set -a; . /run/shim/environment; set +a; cd /root && set -eux && . ./path.sh'
inside pushbox health

say "a push through Caddy with TLS"
# Prints what was counted since the start, and counts from zero.
kill -USR1 "$started"
sleep 1
inside sh -eu -c '
  export CURL_CA_BUNDLE=/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
  id=z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK
  curl -fsS https://push.example.com/clients -H "content-type: application/json" \
    -d "{\"client_id\":\"$id\",\"type\":\"apns\",\"token\":\"$(printf "%064d" 7)\",\"always_raw\":true}"
  body="{\"topic\":\"t\",\"tag\":1108,\"message\":\"hello\"}"
  time=$(date +%s)
  printf "%s.%s.%s" "$time" "${#body}" "$body" >/tmp/signed
  openssl pkeyutl -sign -rawin -inkey /root/relay.der -keyform DER -in /tmp/signed -out /tmp/signature
  signature=$(od -An -tx1 /tmp/signature | tr -d " \n")
  curl -fsS "https://push.example.com/clients/$id" -H "content-type: application/json" \
    -H "x-ed25519-timestamp: $time" -H "x-ed25519-signature: $signature" -d "$body"
'
kill -USR1 "$started"
sleep 1
tail -n 1 "$root/mock/addresses" | grep -q '"apns":{"requests":1,"accepted":1' ||
  fail "the gateway got no push: $(tail -n 1 "$root/mock/addresses")"

# What pushbox logs of a request that no route takes, sent from 127.0.0.2 with a forged header.
check_client_address() {
  inside curl -sS --cacert "$2" --interface 127.0.0.2 -H 'x-forwarded-for: 203.0.113.9' -o /dev/null \
    "https://push.example.com/no-route-$1"
  sleep 1
  grep 'request refused' "$root/run/shim/pushbox.log" | tail -n 1 | grep -q 'from=127\.0\.0\.2 ' ||
    fail "$1: the client's address is wrong: $(grep 'request refused' "$root/run/shim/pushbox.log" | tail -n 1)"
}

say "reload"
inside systemctl reload pushbox | grep -qx 'reloaded: nothing is other than before' || fail "a reload fails"
cp -p "$root/etc/pushbox/config.toml" "$root/tmp/good.toml"
echo 'nonsense = "x"' >>"$root/etc/pushbox/config.toml"
! inside systemctl reload pushbox 2>"$root/tmp/errors" || fail "a broken configuration is reloaded"
grep -q '/etc/pushbox/config\.toml:[0-9]*:1: ' "$root/tmp/errors" ||
  fail "a reload does not say what is wrong: $(cat "$root/tmp/errors")"
cp -p "$root/tmp/good.toml" "$root/etc/pushbox/config.toml"
inside pushbox health
# As root, without the service manager.
inside pushbox reload

say "the client's address behind Caddy"
check_client_address caddy /var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt

say "nginx"
inside systemctl stop caddy
install_inside nginx-light
rm -f "$root/etc/nginx/sites-enabled/default"
mkdir -p "$root/etc/letsencrypt/live/push.example.com"
inside openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=push.example.com \
  -addext subjectAltName=DNS:push.example.com \
  -keyout /etc/letsencrypt/live/push.example.com/privkey.pem \
  -out /etc/letsencrypt/live/push.example.com/fullchain.pem 2>/dev/null
cp "$root/usr/share/doc/pushbox/examples/pushbox.conf" "$root/etc/nginx/conf.d/pushbox.conf"
sed -i 's/listen 443/listen 127.0.0.1:443/; /listen \[::\]/d' "$root/etc/nginx/conf.d/pushbox.conf"
inside nginx -q -t
inside nginx
inside curl -fsS --http2 --cacert /etc/letsencrypt/live/push.example.com/fullchain.pem \
  https://push.example.com/health
check_client_address nginx /etc/letsencrypt/live/push.example.com/fullchain.pem
inside nginx -s quit

say "upgrade"
echo "# a local change" >>"$root/etc/pushbox/config.toml"
dpkg-deb -R "$package" "$root/tmp/next"
sed -i 's/^Version: .*/&+next/' "$root/tmp/next/DEBIAN/control"
dpkg-deb --root-owner-group --build "$root/tmp/next" "$root/tmp/next.deb" >/dev/null
install_inside /tmp/next.deb
inside systemctl restart pushbox
[ "$(inside pushbox clients count --json | grep -c '"total_active":1')" = 1 ] || fail "the registration is gone"
tail -n 1 "$root/etc/pushbox/config.toml" | grep -q 'a local change' || fail "the configuration was replaced"

# Blocks of docs/ that change the machine.
say "documentation"
cp "$repository"/dist/pushbox-*.tar.gz "$root/root/"
for page in "$repository"/docs/*.md; do
  awk '
    /^ *<!-- run: machine -->$/ { marked = 1; next }
    /^ *```sh$/ && marked { inside = 1; next }
    /^ *```$/ { inside = 0; marked = 0; next }
    inside { sub(/^   /, ""); print }
  ' "$page" | sed 's/apt-get install/& -qq -y --allow-downgrades/' >"$root/root/block.sh"
  [ -s "$root/root/block.sh" ] || continue
  inside sh -c 'cd /root && set -eu && . ./block.sh' >/dev/null 2>"$root/tmp/errors" ||
    fail "a block of $(basename "$page") fails: $(cat "$root/tmp/errors")"
done
[ "$(inside /usr/local/bin/pushbox version)" = "$(inside /usr/bin/pushbox version)" ] ||
  fail "the tarball has another program than the package"
rm -rf "$root"/etc/systemd/system/pushbox.service "$root"/etc/systemd/system/pushbox.service.d

say "remove"
inside systemctl stop pushbox
inside apt-get remove -qq -y pushbox >/dev/null
[ ! -e "$root/usr/bin/pushbox" ] || fail "the program is still there"
[ -e "$root/var/lib/pushbox/token.key" ] || fail "the key is gone"
[ -e "$root/etc/pushbox/config.toml" ] || fail "the configuration is gone"

say "purge"
inside apt-get purge -qq -y pushbox >/dev/null
[ ! -e "$root/var/lib/pushbox" ] || fail "/var/lib/pushbox is still there"
[ ! -e "$root/etc/pushbox/config.toml" ] || fail "the configuration is still there"
[ -z "$(find "$root/etc/systemd" -name 'pushbox*')" ] || fail "an enabled unit is still there"
say "container image"
# No engine here: the instructions of the last stage, one by one.
awk '/^FROM/ { stage = "" } { stage = stage $0 "\n" } END { printf "%s", stage }' "$repository/slim.Dockerfile" \
  >"$root/tmp/stage"
awk '/^RUN / { sub(/^RUN /, ""); inside = 1 } inside { print; if (!/\\$/) inside = 0 }' "$root/tmp/stage" \
  >"$root/tmp/run.sh"
# The package leaves its user, an image begins without.
inside userdel pushbox
inside sh -ex /tmp/run.sh >"$root/tmp/errors" 2>&1 ||
  fail "a RUN instruction of slim.Dockerfile fails: $(tail -n 5 "$root/tmp/errors")"
inside apt-get update -qq
install -m 755 "$repository/dist/pushbox" "$root/usr/bin/pushbox"
mkdir -p "$root/etc/pushbox"
cp "$root"/mock/* "$root/etc/pushbox/"
# The image's user has no other right to them.
chown -R 10001 "$root/etc/pushbox"
sed -i 's|path = "data"|path = "/var/lib/pushbox"|' "$root/etc/pushbox/config.toml"
chroot --userspec=10001:10001 "$root" /usr/bin/pushbox serve >"$root/tmp/container.log" 2>&1 &
started="$started $!"
health=$(sed -n 's/^HEALTHCHECK.*CMD \[\(.*\)\]/\1/p' "$root/tmp/stage" | tr -d '",')
for _ in $(seq 50); do
  # The command is split into words on purpose.
  # shellcheck disable=SC2086
  ! inside $health 2>/dev/null || break
  sleep 0.1
done
# shellcheck disable=SC2086
inside $health >/dev/null || fail "the health check fails: $(cat "$root/tmp/container.log")"
install_inside python3-yaml
inside python3 -c '
import sys, yaml
services = yaml.safe_load(sys.stdin)["services"]
assert services["pushbox"]["build"]["dockerfile"] == "slim.Dockerfile" and "caddy" in services
' <"$repository/compose.yaml" || fail "compose.yaml cannot be read"
say "lintian"
install_inside lintian
cp "$package" "$root/tmp/"
inside lintian --allow-root --fail-on error,warning "/tmp/$(basename "$package")"
say "all is well"
