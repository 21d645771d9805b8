package io.stele.replicas.serve;

import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.push.ReplicaPeer;

/** The other servers. Asking for one connects to nothing yet. */
public interface Peers {
  MetadataPeer metadata(String address);

  ReplicaPeer replicas(String address);
}
