# What the launcher of the source tree and that of a release have in common: it finds a Java, picks the
# JVM's flags for the command at hand and becomes that JVM. The scripts that source it have said set -u.
#
#   STELE_JAVA_OPTS   more JVM options, after the launcher's own
#   STELE_CLASSPATH   more jars, after Stele's own: a Hadoop file system, for instance

readonly needed_java=25
readonly main_class=io.stele.cli.Main

# Short commands log nothing, so they load no logging library either.
readonly short_flags=(
  -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData --sun-misc-unsafe-memory-access=allow
  -Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider -Dslf4j.internal.verbosity=WARN)
# What runs for long gets the full compiler and a throughput collector.
readonly long_flags=(
  -XX:+UseParallelGC -XX:+UseCompactObjectHeaders
  --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
readonly server_flags=(-Xms64m -Xmx1g "${long_flags[@]}")
readonly archive_flags=(-Xshare:auto -Xlog:disable -Xlog:all=error,cds*=off,aot*=off:stderr)

fail() {
  printf 'stele: %s\n' "$*" >&2
  exit 1
}

# Sets java_major to the feature release of the Java at $1, to 0 if there is none.
read_java_major() {
  java_major=0
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 0
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^JAVA_VERSION=\"([0-9]+) ]]; then
      java_major=${BASH_REMATCH[1]}
      return 0
    fi
  done <"$1/release"
}

# Sets java_home: JAVA_HOME if it is new enough, else the oldest that is new enough among the usual places.
# $1 is what to install where there is none.
find_java() {
  local candidate on_path best=0 java_major
  java_home=
  read_java_major "${JAVA_HOME:-/none}"
  if [ "$java_major" -ge $needed_java ]; then
    java_home=$JAVA_HOME
    return
  fi
  on_path=$(command -v java) && on_path=$(readlink -f "$on_path" 2>/dev/null) || on_path=
  for candidate in \
    /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/* "${HOME:-}"/.m2/jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "${on_path%/bin/java}"; do
    read_java_major "$candidate"
    if [ "$java_major" -ge $needed_java ] && { [ $best -eq 0 ] || [ "$java_major" -lt $best ]; }; then
      best=$java_major
      java_home=$candidate
    fi
  done
  [ -n "$java_home" ] ||
    fail "needs a $1 $needed_java or newer and found none: install one (https://adoptium.net, or" \
      "\"apt install temurin-$needed_java-jdk\" from its repository), or set JAVA_HOME to it."
}

# Prints the command at hand, nothing if there is none; one that asks for help is 'help'.
command_of() {
  local argument
  for argument in "$@"; do
    case $argument in
      --) break ;;
      -h | --help) echo help && return ;;
    esac
  done
  for argument in "$@"; do
    case $argument in
      -*) ;;
      *) echo "$argument" && return ;;
    esac
  done
}

# Prints what the user types to run this script: its name where the path has it, else its path.
typed_name() {
  if [ "$(command -v "${0##*/}")" = "$0" ]; then
    echo "${0##*/}"
  else
    echo "$0"
  fi
}

# Class data loaded from an archive halves the start, of short commands and of a server. It is good for one JDK
# and one set of jars; the JVM leaves it aside by itself when it does not fit. It is made by a rehearsal: a server
# that starts, and commands that use it. $1 is newer than any archive of other jars.
make_archive_if_outdated() {
  local jars=$1
  [ ! -e "$archive" ] || [ "$jars" -nt "$archive" ] || [ "$java_home/release" -nt "$archive" ] || return 0
  local draft=$archive.$$ making=$archive.making rehearsal
  # Where nothing can be written, the JVM starts without.
  mkdir -p "$(dirname "$archive")" 2>/dev/null || return 0
  # Of several that start together one makes it, and the others do without; what a killed one left is old some time.
  if ! mkdir "$making" 2>/dev/null; then
    [ -z "$(find "$making" -prune -mmin +2 2>/dev/null)" ] || rmdir "$making"
    return 0
  fi
  rehearsal=$(mktemp -d) || fail "cannot make a folder for temporary files in ${TMPDIR:-/tmp}"
  "$java_home/bin/java" "${flags[@]}" -XX:ArchiveClassesAtExit="$draft" \
    -cp "$class_path" $main_class server --rehearse "$rehearsal" >/dev/null 2>&1
  rm -rf -- "$rehearsal"
  if [ -s "$draft" ]; then mv "$draft" "$archive"; fi
  rmdir "$making"
}

# Sets flags and archive for a command line.
#   $1    the path of archives, to which the kind of command is appended
#   $2    a file that is as old as the jars
#   $3    the launcher, for commands that start servers
#   $4…   the command line
choose_flags() {
  local archives=$1 jars=$2 launcher=$3
  shift 3
  case $(command_of "$@") in
    server | up)
      archive=$archives-server.jsa
      flags=("${server_flags[@]}")
      make_archive_if_outdated "$jars"
      ;;
    *)
      archive=$archives.jsa
      flags=("${short_flags[@]}" -Dstele.launcher="$launcher")
      make_archive_if_outdated "$jars"
      ;;
  esac
  flags+=("${archive_flags[@]}" -XX:SharedArchiveFile="$archive" -Dstele.program="$(typed_name)")
}

# Becomes the JVM.
become_java() {
  # shellcheck disable=SC2086 # STELE_JAVA_OPTS is a list of words
  exec "$java_home/bin/java" "${flags[@]}" ${STELE_JAVA_OPTS:-} \
    -cp "$class_path${STELE_CLASSPATH:+:$STELE_CLASSPATH}" "$main" "$@"
}
