package io.stele.metastore.raft;

import java.util.Optional;

/**
 * Who a server says it is.
 *
 * @param group that it belongs to, if it belongs to one
 * @param version the newest that its replica can apply
 */
public record PeerIdentity(Member member, Optional<String> group, int version) {}
