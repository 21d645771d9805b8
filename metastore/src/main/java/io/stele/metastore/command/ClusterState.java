package io.stele.metastore.command;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;

/**
 * What the members of a group have agreed on.
 *
 * <pre>
 *   clusterState := version limits      (MetastoreLimits)
 * </pre>
 *
 * @param version see {@link ClusterVersion}
 * @param limits of commands
 */
public record ClusterState(int version, MetastoreLimits limits) {
  public void write(ByteBuilder out) {
    out.putVarint(version);
    limits.write(out);
  }

  /** Reads it; a version that this program does not know is refused before its limits are read. */
  public static ClusterState read(ByteReader in) throws Malformed {
    int version = in.readVarint(Integer.MAX_VALUE, "cluster version");
    ClusterVersion.check("the state of the metastore", version);
    return new ClusterState(version, MetastoreLimits.read(in));
  }
}
