package io.stele.metastore.raft;

import static io.stele.metastore.raft.TestMembers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import java.io.IOException;
import java.net.DatagramSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class DiscoveryTest {
  private final Map<String, PeerIdentity> alive = new ConcurrentHashMap<>();
  private final PeerLink link =
      new RefusingLink() {
        @Override
        public CompletableFuture<PeerIdentity> identify(String serviceAddress) {
          PeerIdentity identity = alive.get(serviceAddress);
          return identity == null
              ? new CompletableFuture<>()
              : CompletableFuture.completedFuture(identity);
        }
      };
  private final Events events =
      new Events(
          (event, failure) -> {
            throw new AssertionError(event.text(), failure);
          });

  private PeerIdentity server(int number, Optional<String> group) {
    String address = "127.0.0.1:" + number;
    PeerIdentity identity =
        new PeerIdentity(new Member("m" + number, "127.0.0.1:1", address), group, 1);
    alive.put(address, identity);
    return identity;
  }

  private static DiscoverySettings settings(List<String> seeds, boolean multicast, int port) {
    return new DiscoverySettings(
        seeds,
        Duration.ofMillis(100),
        multicast,
        "239.255.77.83",
        port,
        "lo",
        Duration.ofMillis(50));
  }

  @Test
  void seedsThatAnswerAreFoundAndThoseThatDoNotAreNot() throws IOException {
    PeerIdentity self = server(1, Optional.empty());
    PeerIdentity two = server(2, Optional.of("g"));
    PeerIdentity three = server(3, Optional.empty());
    List<String> seeds = List.of("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4");
    try (Discovery discovery = start(self, settings(seeds, false, 1))) {
      assertThat(discovery.look()).containsExactly(two, three);
      assertThat(discovery.groups()).isEqualTo(Map.of("g", List.of(two)));
      alive.remove("127.0.0.1:2");
      assertThat(discovery.look()).containsExactly(three);
      assertThat(discovery.groups()).isEmpty();
    }
  }

  @Test
  void serversFindEachOtherByMulticastAndForgetTheDead() throws IOException {
    int port = freeUdpPort();
    PeerIdentity one = server(1, Optional.empty());
    PeerIdentity two = server(2, Optional.of("g"));
    try (Discovery first = start(one, settings(List.of(), true, port))) {
      assertThat(first.look()).isEmpty();
      try (Discovery second = start(two, settings(List.of(), true, port))) {
        until(() -> first.look().equals(List.of(two)));
        until(() -> second.look().equals(List.of(one)));
      }
      until(() -> first.look().isEmpty());
      // It comes back, as one that was restarted does.
      try (Discovery second = start(two, settings(List.of(), true, port))) {
        until(() -> first.look().equals(List.of(two)));
        until(() -> second.look().equals(List.of(one)));
      }
    }
  }

  private Discovery start(PeerIdentity self, DiscoverySettings settings) throws IOException {
    return Discovery.start(self.member().serviceAddress(), link, settings, Clock.system(), events);
  }

  @Test
  void whatCannotBeUsedIsRefusedByName() {
    PeerIdentity self = server(1, Optional.empty());
    DiscoverySettings usual = settings(List.of(), true, 7277);
    DiscoverySettings noGroup =
        new DiscoverySettings(
            List.of(), usual.answer(), true, "127.0.0.1", 7277, "lo", usual.interval());
    assertThatThrownBy(() -> start(self, noGroup))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("127.0.0.1");
    DiscoverySettings noInterface =
        new DiscoverySettings(
            List.of(), usual.answer(), true, "239.255.77.83", 7277, "nope0", usual.interval());
    assertThatThrownBy(() -> start(self, noInterface))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("nope0")
        .hasMessageContaining("lo");
  }

  @Test
  void datagramsOfOthersAreIgnored() {
    byte[] good = new Announcement("host:7200", true).toBytes();
    assertThat(Announcement.parse(good, good.length)).contains(new Announcement("host:7200", true));
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 0x41;
      assertThat(Announcement.parse(bad, bad.length)).as("byte %d", i).isEmpty();
      assertThat(Announcement.parse(good, i)).as("cut at %d", i).isEmpty();
    }
    RandomGenerator random = RandomSource.seeded(7);
    for (int i = 0; i < 10_000; i++) {
      byte[] noise = new byte[random.nextInt(64)];
      random.nextBytes(noise);
      assertThat(Announcement.parse(noise, noise.length)).isEmpty();
    }
    byte[] space = new Announcement("ho st:1", false).toBytes();
    assertThat(Announcement.parse(space, space.length)).isEmpty();
  }

  private static int freeUdpPort() throws IOException {
    try (DatagramSocket socket = new DatagramSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
