package io.stele.server.replicas;

/**
 * What replicated tables keep in the metastore.
 *
 * <pre>
 *   /stele/replicas/cluster        the id of the cluster, which its servers remember
 *   /stele/replicas/tables/NAME    a table's configuration, as {@link
 *                                  io.stele.replicas.metadata.TableConfigText} writes it
 *   /stele/replicas/dropped/ID     the name of the table with this id, which was dropped; stays
 *   /stele/replicas/servers/ID     address and disk of a server, as {@link ServerText} writes them;
 *                                  gone with its session
 *   /stele/replicas/leader         the address of the server that looks after all tables; gone with
 *                                  its session. Also its lock
 * </pre>
 *
 * <p>In NAME, the characters / and % are written %2F and %25, and the names . and .. are %2E and
 * %2E%2E, since a key is a path.
 */
final class ReplicaKeys {
  static final String ALL = "/stele/replicas/";
  static final String TABLES = ALL + "tables/";
  static final String DROPPED = ALL + "dropped/";
  static final String CLUSTER = ALL + "cluster";
  static final String SERVERS = ALL + "servers/";
  static final String LEADER = ALL + "leader";

  /** On whose behalf servers ask; where rights are set for / or /stele, it must have them. */
  static final String PRINCIPAL = "stele";

  private ReplicaKeys() {}

  static String table(String name) {
    String component = name.replace("%", "%25").replace("/", "%2F");
    return TABLES + (component.matches("\\.\\.?") ? component.replace(".", "%2E") : component);
  }

  static String nameOf(String key) {
    return key.substring(TABLES.length())
        .replace("%2E", ".")
        .replace("%2F", "/")
        .replace("%25", "%");
  }

  static String dropped(String table) {
    return DROPPED + table;
  }

  static String server(String id) {
    return SERVERS + id;
  }
}
