package io.stele.server.replicas;

import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.push.ReplicaPeer;
import io.stele.replicas.serve.Peers;
import org.jspecify.annotations.Nullable;

/** All servers, of which this very one is asked without a network in between. */
final class NearPeers implements Peers {
  private final String address;
  private final Peers others;
  private volatile @Nullable MetadataPeer metadata;
  private volatile @Nullable ReplicaPeer replicas;

  NearPeers(String address, Peers others) {
    this.address = address;
    this.others = others;
  }

  /** From now on this server can be asked. */
  void near(MetadataPeer ownMetadata, ReplicaPeer ownReplicas) {
    metadata = ownMetadata;
    replicas = ownReplicas;
  }

  @Override
  public MetadataPeer metadata(String to) {
    MetadataPeer own = metadata;
    return own != null && to.equals(address) ? own : others.metadata(to);
  }

  @Override
  public ReplicaPeer replicas(String to) {
    ReplicaPeer own = replicas;
    return own != null && to.equals(address) ? own : others.replicas(to);
  }
}
