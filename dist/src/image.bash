#!/usr/bin/env bash
# Makes an OCI image of a staged release that has a runtime, without a daemon and without a base image.
#
#   JAVA_HOME=… image.bash HOME VERSION TIME FILE
#
#     FILE      an archive that `podman load`, `docker load` and `skopeo copy oci-archive:FILE` take:
#
#       oci-layout, index.json          where it begins, by OCI's image layout
#       manifest.json                   the same for older versions of Docker
#       blobs/sha256/…                  the manifest, the configuration, and the one layer
#
# The layer has the release in /opt/stele, the C library of this machine and what else the runtime and the native
# codecs load, a user, and an empty /var/lib/stele; there is no shell.
set -eu

src=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=dist/src/launch.bash
. "$src/launch.bash"
readonly home=$1 version=$2 time=$3 file=$4
readonly user=10001
readonly ports='7835 7836 7837 7838 2379 8086 9599'

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly root=$work/root blobs=$work/image/blobs/sha256
mkdir -p "$root"/{etc,opt,tmp,var/lib/stele} "$blobs"

cp -a "$home" "$root/opt/stele"
ln -s ../opt/stele/etc "$root/etc/stele"
printf 'root:x:0:0::/:/none\nstele:x:%s:%s::/var/lib/stele:/none\n' $user $user >"$root/etc/passwd"
printf 'root:x:0:\nstele:x:%s:\n' $user >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"

# The codecs load their native libraries from their jars.
mkdir "$work/natives"
for jar in "$home"/lib/{zstd-jni,snappy-java,lz4-java}-*.jar; do
  (cd "$work/natives" && "$JAVA_HOME/bin/jar" --extract --file "$jar")
done
{
  echo "$home/runtime/bin/java"
  find "$home/runtime" -name '*.so'
  find "$work/natives" -name '*.so' | grep -iE '/linux/(x86_64|amd64)/'
} | xargs ldd 2>/dev/null |
  sed -n -e 's/.*=> \(\/[^ ]*\) (.*/\1/p' -e 's/^\t\(\/[^ ]*\) (.*/\1/p' | sort -u |
  grep -v "^$home" | while IFS= read -r library; do
  cp --parents -L "$library" "$root"
done
for notice in /usr/share/doc/libc6/copyright /usr/share/doc/libstdc++6/copyright; do
  [ ! -e "$notice" ] || cp --parents "$notice" "$root"
done
chmod 1777 "$root/tmp"

# add_to_layer OWNER PATH…
add_to_layer() {
  local owner=$1
  shift
  tar -C "$root" --format=posix --pax-option=exthdr.name=%d/%f,delete=atime,delete=ctime --sort=name --mtime="$time" \
    --owner="$owner" --group="$owner" --numeric-owner --no-recursion -rf "$work/layer.tar" "$@"
}
(cd "$root" && find . -mindepth 1 ! -path './var/lib/stele' | LC_ALL=C sort) >"$work/paths"
add_to_layer 0 --verbatim-files-from -T "$work/paths"
add_to_layer $user ./var/lib/stele

# Prints a list of texts as JSON.
json_list() {
  local text list=
  for text in "$@"; do
    text=${text//\\/\\\\}
    list+=${list:+,}\"${text//\"/\\\"}\"
  done
  printf '[%s]' "$list"
}

# Stores a file as a blob; sets digest and size.
store() {
  digest=$(sha256sum <"$1" | cut -d' ' -f1)
  size=$(stat -c %s "$1")
  mv "$1" "$blobs/$digest"
}

class_path=$(<"$home/lib/classpath")
class_path=/opt/stele/${class_path//:lib\//:/opt/stele/lib/}
entrypoint=(/opt/stele/runtime/bin/java -Xms64m -XX:MaxRAMPercentage=60 "${long_flags[@]}" "${archive_flags[@]}"
  "-XX:SharedArchiveFile=/opt/stele/lib/cds/$(<"$home/lib/build-id")-runtime-server.jsa"
  -cp "$class_path" "$main_class")
exposed=
for port in $ports; do exposed+=${exposed:+,}\"$port/tcp\":{}; done

diff_id=$(sha256sum <"$work/layer.tar" | cut -d' ' -f1)
gzip -n "$work/layer.tar"
store "$work/layer.tar.gz"
layer=$digest layer_size=$size

cat >"$work/config" <<JSON
{"created":"$time","architecture":"amd64","os":"linux",
"config":{"User":"$user:$user","ExposedPorts":{$exposed},"Volumes":{"/var/lib/stele":{}},"WorkingDir":"/var/lib/stele",
"Env":["STELE_CONFIG=/etc/stele/stele.conf"],"StopSignal":"SIGTERM",
"Entrypoint":$(json_list "${entrypoint[@]}"),"Cmd":["server"],
"Labels":{"org.opencontainers.image.title":"Stele","org.opencontainers.image.version":"$version",
"org.opencontainers.image.licenses":"Apache-2.0"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$diff_id"]},
"history":[{"created":"$time","created_by":"stele $version"}]}
JSON
store "$work/config"
config=$digest config_size=$size

cat >"$work/manifest" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$config","size":$config_size},
"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:$layer","size":$layer_size}]}
JSON
store "$work/manifest"

cat >"$work/image/index.json" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json",
"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:$digest","size":$size,
"annotations":{"org.opencontainers.image.ref.name":"stele:$version"}}]}
JSON
cat >"$work/image/manifest.json" <<JSON
[{"Config":"blobs/sha256/$config","RepoTags":["stele:$version"],"Layers":["blobs/sha256/$layer"]}]
JSON
printf '{"imageLayoutVersion":"1.0.0"}' >"$work/image/oci-layout"
tar -C "$work/image" --format=posix --pax-option=exthdr.name=%d/%f,delete=atime,delete=ctime --sort=name \
  --mtime="$time" --owner=0 --group=0 --numeric-owner -cf "$file" oci-layout index.json manifest.json blobs
