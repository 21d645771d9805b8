package io.stele.gateway.bigtable.admin;

import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.NamePattern;
import java.util.List;

/**
 * A cluster of an instance. All of Stele's servers are one, whatever it is called: backups are kept
 * under the name that they were made by.
 */
public record ClusterName(InstanceName instance, String cluster) {
  /** The one that every instance shows. */
  public static final String ONLY = "stele";

  /** Any cluster, where many are asked for. */
  public static final String ANY = "-";

  private static final NamePattern PATTERN =
      new NamePattern("projects/{project}/instances/{instance}/clusters/{cluster}");

  public static ClusterName parse(String name) {
    List<String> parts = PATTERN.parts(name);
    return new ClusterName(new InstanceName(parts.get(0), parts.get(1)), parts.get(2));
  }

  /** What the names of all things of this cluster begin with; of the whole instance for any. */
  public String prefix() {
    return cluster.equals(ANY) ? instance + "/clusters/" : this + "/";
  }

  @Override
  public String toString() {
    return instance + "/clusters/" + cluster;
  }
}
