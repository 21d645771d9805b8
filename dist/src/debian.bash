#!/usr/bin/env bash
# Makes a package for Debian and Ubuntu of a staged release that has a runtime.
#
#   debian.bash HOME VERSION TIME FILE
set -eu

src=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
readonly src home=$1 version=$2 time=$3 file=$4
root=$(mktemp -d)
trap 'rm -rf -- "$root"' EXIT
chmod 755 "$root"

mkdir -p "$root"/{DEBIAN,opt,usr/bin}
cp -a "$home" "$root/opt/stele"
ln -s /opt/stele/bin/stele "$root/usr/bin/stele"
# put FILE PATH: a copy where the system looks for it
put() { install -D -m 644 "$home/share/$1" "$root/$2"; }
put systemd/stele.service lib/systemd/system/stele.service
put systemd/stele.sysusers usr/lib/sysusers.d/stele.conf
put completions/stele.bash usr/share/bash-completion/completions/stele
put completions/_stele usr/share/zsh/vendor-completions/_stele
put completions/stele.fish usr/share/fish/vendor_completions.d/stele.fish
put man/man1/stele.1 usr/share/man/man1/stele.1
gzip -9n "$root/usr/share/man/man1/stele.1"

cat >"$root/DEBIAN/control" <<CONTROL
Package: stele
Version: ${version//-/\~}
Architecture: amd64
Maintainer: The Stele project <stele@localhost>
Depends: libc6 (>= 2.36)
Section: database
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Description: durable, distributed table store in one program
 Sorted wide-column tables, replicated tables, datasets served by key, and a
 small consistent store for configuration and locks.
CONTROL
echo /opt/stele/etc/stele.conf >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/postinst" <<'SCRIPT'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
  ! command -v systemd-sysusers >/dev/null || systemd-sysusers stele.conf
  [ ! -d /run/systemd/system ] || systemctl daemon-reload
fi
SCRIPT
cat >"$root/DEBIAN/prerm" <<'SCRIPT'
#!/bin/sh
set -e
[ ! -d /run/systemd/system ] || systemctl stop stele
SCRIPT
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
find "$root" -exec touch -h -d "$time" {} +
SOURCE_DATE_EPOCH=$(date -d "$time" +%s) dpkg-deb -Zgzip -z6 --root-owner-group --build "$root" "$file" >/dev/null
