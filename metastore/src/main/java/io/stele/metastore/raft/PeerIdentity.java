package io.stele.metastore.raft;

import java.util.Optional;

/**
 * Who a server says it is.
 *
 * @param group that it belongs to, if it belongs to one
 * @param version the newest that its replica can apply
 * @param clientUrl where etcd's clients reach it; none if it has no port for them
 */
public record PeerIdentity(
    Member member, Optional<String> group, int version, Optional<String> clientUrl) {
  public PeerIdentity(Member member, Optional<String> group, int version) {
    this(member, group, version, Optional.empty());
  }

  public PeerIdentity withClientUrl(Optional<String> url) {
    return new PeerIdentity(member, group, version, url);
  }
}
