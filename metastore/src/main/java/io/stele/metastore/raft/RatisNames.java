package io.stele.metastore.raft;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * Our words for what Ratis calls otherwise.
 *
 * <p>Ratis counts entries from 0 and has -1 for none; we count from 1 and have {@link
 * Position#START}.
 */
final class RatisNames {
  private RatisNames() {}

  static RaftGroupId group(String id) {
    return RaftGroupId.valueOf(UUID.fromString(id));
  }

  static RaftPeer peer(Member member) {
    return RaftPeer.newBuilder()
        .setId(RaftPeerId.valueOf(member.id()))
        .setAddress(member.raftAddress())
        .setClientAddress(member.serviceAddress())
        .build();
  }

  static Member member(RaftPeer peer) {
    return new Member(peer.getId().toString(), peer.getAddress(), peer.getClientAddress());
  }

  static Member member(RaftPeerProto peer) {
    return new Member(id(peer.getId()), peer.getAddress(), peer.getClientAddress());
  }

  static String id(ByteString peerId) {
    return RaftPeerId.valueOf(peerId).toString();
  }

  static List<Member> members(Collection<RaftPeer> peers) {
    return peers.stream().map(RatisNames::member).toList();
  }

  static Position position(long term, long ratisIndex) {
    return new Position(term, ratisIndex + 1);
  }

  static TermIndex termIndex(Position position) {
    return TermIndex.valueOf(position.term(), position.index() - 1);
  }
}
