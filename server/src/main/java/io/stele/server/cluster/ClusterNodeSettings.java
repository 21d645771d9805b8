package io.stele.server.cluster;

import io.stele.base.error.InvalidRequestException;
import io.stele.tables.TabletServerSettings;
import io.stele.tables.master.MasterSettings;
import java.time.Duration;
import java.util.List;

/**
 * What a node is in its cluster.
 *
 * @param address at which clients and other nodes reach it
 * @param member whether this very server holds a part of the metastore
 * @param metastore addresses of servers that answer for the metastore
 * @param files where all servers of the cluster have their fragments, a directory or a URI
 * @param logs where they have their logs; may be the same
 * @param session how long it may be silent before others take over what it has
 * @param tables whether it serves tablets
 * @param master whether it stands ready to lead
 * @param cacheBytes for blocks of files
 */
public record ClusterNodeSettings(
    String address,
    boolean member,
    List<String> metastore,
    String files,
    String logs,
    Duration session,
    boolean tables,
    boolean master,
    TabletServerSettings server,
    MasterSettings leading,
    long cacheBytes) {
  public ClusterNodeSettings {
    metastore = List.copyOf(metastore);
    if (metastore.isEmpty()) {
      throw new InvalidRequestException("a node of a cluster without addresses of the metastore");
    }
  }
}
