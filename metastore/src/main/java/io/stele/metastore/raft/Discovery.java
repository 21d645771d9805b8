package io.stele.metastore.raft;

import io.stele.base.event.Events;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Finds other servers: those of a seed list, those that announce themselves by multicast if that is
 * on, and the members of the groups these belong to are theirs to tell. Whoever is found was asked
 * who it is, and answered, just now.
 *
 * <pre>{@code
 * try (Discovery discovery = Discovery.start(address, link, settings, Clock.system(), events)) {
 *   discovery.groups().forEach((group, servers) -> ...);
 * }
 * }</pre>
 */
public final class Discovery implements AutoCloseable {
  private final String serviceAddress;
  private final PeerLink link;
  private final DiscoverySettings settings;
  private final Optional<Announcer> announcer;

  private Discovery(
      String serviceAddress,
      PeerLink link,
      DiscoverySettings settings,
      Optional<Announcer> announcer) {
    this.serviceAddress = serviceAddress;
    this.link = link;
    this.settings = settings;
    this.announcer = announcer;
  }

  /**
   * Begins to look, and to be seen.
   *
   * @param serviceAddress this server's own
   */
  public static Discovery start(
      String serviceAddress, PeerLink link, DiscoverySettings settings, Clock clock, Events events)
      throws IOException {
    Optional<Announcer> announcer =
        settings.multicast()
            ? Optional.of(Announcer.start(serviceAddress, settings, clock, events))
            : Optional.empty();
    return new Discovery(serviceAddress, link, settings, announcer);
  }

  /** The other servers that answer now, by address. */
  public List<PeerIdentity> look() {
    TreeSet<String> addresses = new TreeSet<>(settings.seeds());
    announcer.ifPresent(one -> addresses.addAll(one.known()));
    addresses.remove(serviceAddress);
    Map<String, CompletableFuture<Optional<PeerIdentity>>> asked = new LinkedHashMap<>();
    for (String address : addresses) {
      asked.put(address, ask(address));
    }
    List<PeerIdentity> found = new ArrayList<>();
    asked.values().forEach(answer -> answer.join().ifPresent(found::add));
    return found;
  }

  /** The groups that servers found now belong to, with these servers. */
  public Map<String, List<PeerIdentity>> groups() {
    Map<String, List<PeerIdentity>> groups = new TreeMap<>();
    for (PeerIdentity identity : look()) {
      identity
          .group()
          .ifPresent(group -> groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(identity));
    }
    return groups;
  }

  private CompletableFuture<Optional<PeerIdentity>> ask(String address) {
    CompletableFuture<PeerIdentity> answer;
    try {
      answer = link.identify(address);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    // Whoever does not answer is not there: that is what looking is for.
    return answer
        .thenApply(Optional::of)
        .completeOnTimeout(Optional.empty(), settings.answer().toNanos(), TimeUnit.NANOSECONDS)
        .exceptionally(_ -> Optional.empty());
  }

  @Override
  public void close() {
    announcer.ifPresent(Announcer::close);
  }
}
