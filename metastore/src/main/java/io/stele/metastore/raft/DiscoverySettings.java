package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.time.Duration;
import java.util.List;

/** How servers find each other. */
public record DiscoverySettings(
    @About("service addresses, HOST:PORT, of servers to ask; one that answers is enough")
        List<String> seeds,
    @About("how long a server may take to say who it is") Duration answer,
    @About("whether servers also announce themselves by multicast, for networks that carry it")
        boolean multicast,
    @About("the multicast group of the announcements") String multicastGroup,
    @About("the port of the announcements") int multicastPort,
    @About("the network interface of the announcements; empty for all that carry multicast")
        String multicastInterface,
    @About("how often a server announces itself; it is forgotten after three times that silence")
        Duration interval) {
  public static final DiscoverySettings DEFAULT =
      new DiscoverySettings(
          List.of(),
          Duration.ofSeconds(2),
          false,
          "239.255.77.83",
          7277,
          "",
          Duration.ofSeconds(2));

  public DiscoverySettings {
    seeds = List.copyOf(seeds);
    if (!answer.isPositive() || !interval.isPositive()) {
      throw new InvalidRequestException(
          "discovery: answer in " + answer + ", interval " + interval + ": must be positive");
    }
    if (multicastPort < 1 || multicastPort > 65_535) {
      throw new InvalidRequestException(
          "discovery: multicast port " + multicastPort + ": must be 1 to 65535");
    }
  }

  public DiscoverySettings withSeeds(List<String> addresses) {
    return new DiscoverySettings(
        addresses, answer, multicast, multicastGroup, multicastPort, multicastInterface, interval);
  }
}
