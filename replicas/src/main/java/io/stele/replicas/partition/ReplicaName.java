package io.stele.replicas.partition;

import io.stele.base.error.InvalidRequestException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which replica a directory holds: {@code <table>/<partition>.<assignment>}.
 *
 * @param table the table's id
 * @param partition the partition's id
 * @param assignment unique for ever: a partition that comes back to a server comes to another
 *     directory
 */
public record ReplicaName(String table, String partition, String assignment) {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]+");

  public ReplicaName {
    checkId("table", table);
    checkId("partition", partition);
    checkId("assignment", assignment);
  }

  private static void checkId(String what, String id) {
    if (!ID.matcher(id).matches()) {
      throw new InvalidRequestException(
          what + " id \"" + id + "\": must be letters, digits, _ and - alone, and not empty");
    }
  }

  String directory() {
    return partition + "." + assignment;
  }

  /** Of a directory of a table; nothing if it is not named so. */
  static Optional<ReplicaName> parse(String table, String directory) {
    String[] parts = directory.split("\\.", -1);
    return parts.length == 2
            && ID.matcher(table).matches()
            && ID.matcher(parts[0]).matches()
            && ID.matcher(parts[1]).matches()
        ? Optional.of(new ReplicaName(table, parts[0], parts[1]))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return table + "/" + directory();
  }
}
