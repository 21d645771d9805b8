package io.stele.metastore.raft;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A link over which nothing can be asked; tests say what can. */
public class RefusingLink implements PeerLink {
  @Override
  public CompletableFuture<Long> currentTerm(Member peer) {
    return refused(peer.serviceAddress());
  }

  @Override
  public InputStream checkpoint(Member peer) throws IOException {
    throw new IOException("no link to " + peer);
  }

  @Override
  public CompletableFuture<Boolean> reserve(String serviceAddress, String group) {
    return refused(serviceAddress);
  }

  @Override
  public CompletableFuture<Void> release(String serviceAddress, String group) {
    return refused(serviceAddress);
  }

  @Override
  public CompletableFuture<Void> form(
      String serviceAddress, String group, String memberId, List<Member> members) {
    return refused(serviceAddress);
  }

  @Override
  public CompletableFuture<PeerIdentity> identify(String serviceAddress) {
    return refused(serviceAddress);
  }

  @Override
  public CompletableFuture<Optional<String>> fingerprint(Member peer, long index) {
    return refused(peer.serviceAddress());
  }

  private static <T> CompletableFuture<T> refused(String address) {
    return CompletableFuture.failedFuture(new IOException("no link to " + address));
  }
}
