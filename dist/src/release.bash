#!/usr/bin/env bash
# Makes the archives of a release of what the build collected in dist/target: `mvn -Prelease package` runs it.
#
#   release.bash OUT VERSION TIME [SBOM]
#
#     OUT       the folder of what is made; whatever it holds is replaced
#     TIME      of all files in the archives, such as 2026-01-01T00:00:00Z, so that one commit makes equal archives
#     SBOM      the folder of sbom.json and THIRD-PARTY.txt; the archives do without where it is not named
#
#   stele-VERSION.tar.gz             all but a Java
#   stele-VERSION-linux-x64.tar.gz   with a Java of its own, and archives of class data
#   stele-VERSION-image.tar          an OCI image (image.bash)
#   stele_VERSION_amd64.deb          a package for Debian, where dpkg-deb is there to make it (debian.bash)
#   stele-hadoop-VERSION.tar.gz      for HDFS and SequenceFiles: unpacked over either of the two, it adds lib/ext/hadoop
#   SHA256SUMS
#
# It runs on Linux, with GNU tar, and makes the runtime of the JDK that runs the build.
set -eu
shopt -s nullglob

src=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
readonly src root=${src%/dist/src} built=${src%/src}/target
readonly out=$1 version=$2 time=$3 sbom=${4:-}
readonly name=stele-$version
# shellcheck source=dist/src/launch.bash
. "$src/launch.bash"

# Of the jars that the build collected, those that only Hadoop's file systems and files need.
readonly hadoop='stele-hadoop-|hadoop-client-|commons-logging-'

# What no jar names and the JVM finds by itself: TLS, names of hosts, zip files, jcmd, and recordings.
readonly services=jdk.crypto.cryptoki,jdk.naming.dns,jdk.zipfs,jdk.jcmd,jdk.jfr,jdk.management.agent,jdk.management.jfr,jdk.net,jdk.unsupported

# Prints the jars of the class path that only Hadoop needs, in their order, or with -v all others.
list_jars() {
  tr ':' '\n' <"$built/classpath" | grep -E "$@" "^lib/($hadoop)"
}

# Copies those jars to a folder, with the time of the release: archives of class data know jars by it.
copy_jars() {
  local to=$1
  shift
  mkdir -p "$to"
  (cd "$built" && list_jars "$@" | xargs cp -t "$to")
  find "$to" -name '*.jar' -exec touch -d "$time" {} +
}

# archive FILE FOLDER…: a tar.gz of folders in $out, equal for equal content.
archive() {
  local file=$1
  shift
  tar -C "$stage" --format=posix --pax-option=exthdr.name=%d/%f,delete=atime,delete=ctime --sort=name \
    --mtime="$time" --owner=0 --group=0 --numeric-owner -cf - "$@" | gzip -n >"$out/$file"
}

# Prints what a command of Stele prints.
generate() {
  "$java_home/bin/java" "${short_flags[@]}" -cp "$class_path" "$main_class" "$@"
}

# Puts together what every archive has, but for a Java.
stage_common() {
  local home=$1 jar
  mkdir -p "$home"/bin "$home"/etc "$home"/lib/cds "$home"/lib/ext "$home"/docs "$home"/share
  cp "$src/bin/stele" "$home/bin/stele"
  cp "$src/launch.bash" "$home/lib/launch.bash"
  copy_jars "$home/lib" -v
  list_jars -v | paste -sd: - >"$home/lib/classpath"
  # Names this build: archives of class data that were made for another are not used.
  (cd "$home/lib" && cat -- *.jar | sha256sum | cut -c1-16) >"$home/lib/build-id"
  cp "$root/LICENSE" "$root/NOTICE" "$home"
  if [ -n "$sbom" ]; then cp "$sbom/sbom.json" "$sbom/THIRD-PARTY.txt" "$home"; fi
  cp "$root"/docs/*.md "$home/docs"
  cp "$src/ext.txt" "$home/lib/ext/README.txt"
  mkdir -p "$home/share/systemd"
  cp "$src"/systemd/* "$home/share/systemd"
  generate server --settings >"$home/etc/stele.conf"
  mkdir -p "$home/share/man/man1" "$home/share/completions"
  generate manual >"$home/share/man/man1/stele.1"
  generate completion bash >"$home/share/completions/stele.bash"
  generate completion zsh >"$home/share/completions/_stele"
  generate completion fish >"$home/share/completions/stele.fish"
}

# A Java of the modules that the jars use, for machines that have none.
make_runtime() {
  local home=$1 modules
  # Its last line are the modules; those before it warn of packages that two jars have.
  modules=$("$java_home/bin/jdeps" --multi-release "$needed_java" --ignore-missing-deps --print-module-deps \
    "$home"/lib/*.jar | tail -n 1)
  "$java_home/bin/jlink" --add-modules "$modules,$services" --strip-debug --no-header-files --no-man-pages \
    --output "$home/runtime"
  # The JDK's own classes, for commands and for servers, whose objects have other headers.
  "$home/runtime/bin/java" -Xshare:dump >/dev/null 2>&1
  "$home/runtime/bin/java" -XX:+UseCompactObjectHeaders -Xshare:dump >/dev/null 2>&1
}

# Archives of class data for the runtime that is shipped: they are good wherever it is unpacked.
make_archives() {
  local home=$1
  "$home/bin/stele" --version >/dev/null
  "$home/bin/stele" server --settings >/dev/null
  [ "$(find "$home/lib/cds" -name '*.jsa' | wc -l)" = 2 ] || fail "no archives of class data were made in $home/lib/cds"
}

find_java JDK
rm -rf -- "$out"
mkdir -p "$out"
class_path=$(list_jars -v | sed "s|^|$built/|" | paste -sd: -)
stage=$(mktemp -d)
trap 'rm -rf -- "$stage"' EXIT

stage_common "$stage/$name"
archive "$name.tar.gz" "$name"

copy_jars "$stage/hadoop/$name/lib/ext/hadoop"
stage=$stage/hadoop archive "stele-hadoop-$version.tar.gz" "$name"
rm -rf -- "$stage/hadoop"

case $(uname -sm) in
  'Linux x86_64')
    make_runtime "$stage/$name"
    make_archives "$stage/$name"
    archive "$name-linux-x64.tar.gz" "$name"
    JAVA_HOME=$java_home "$src/image.bash" "$stage/$name" "$version" "$time" "$out/$name-image.tar"
    if command -v dpkg-deb >/dev/null; then
      "$src/debian.bash" "$stage/$name" "$version" "$time" "$out/stele_${version//-/\~}_amd64.deb"
    fi
    ;;
esac

(cd "$out" && sha256sum -- *) >"$stage/SHA256SUMS"
mv "$stage/SHA256SUMS" "$out"
