package io.stele.tables;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FileStore;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.txn.Lease;

/**
 * A tablet server's place in a cluster: others may have tablets of the same tables, and take those
 * of this one when its lease ends.
 *
 * @param run the name of its directories, which no other run of any server has or had
 * @param lease its right to answer
 * @param elsewhere finds META where it is not on this server
 * @param logs has the logs of all servers
 */
public record ClusterPlace(String run, Lease lease, MetaAccess elsewhere, FileStore logs) {
  public ClusterPlace {
    if (run.isEmpty() || run.contains("/")) {
      throw new InvalidRequestException(
          "run \"" + run + "\" of a tablet server: must be the name of a directory");
    }
  }
}
