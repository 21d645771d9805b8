package io.stele.testkit.process;

import io.stele.testkit.run.Needs;
import java.util.List;
import java.util.Optional;

/** The hosts on which servers of a test run. The test itself always reaches all of them. */
public sealed interface Network extends AutoCloseable permits Network.Loopback, Namespaces {

  /** The address of a host, by its number from 0. */
  String address(int host);

  /** The command that runs another command on a host; empty for this machine itself. */
  List<String> runsOn(int host);

  /** Why hosts cannot be cut off from each other; empty if they can. */
  Optional<String> refusal();

  /** From now on nothing that one host sends reaches the other, silently as on a real network. */
  void cut(int from, int to);

  /** Everything reaches everyone again. */
  void heal();

  @Override
  void close();

  /** Of network namespaces where the machine allows it, otherwise this machine's loopback. */
  static Network open() {
    return Namespaces.unavailable().isEmpty() ? new Namespaces() : new Loopback();
  }

  /** For a test that cuts it. */
  default void requireCuts() {
    refusal().ifPresent(reason -> Needs.that(false, reason));
  }

  /** Cuts a host off from all others, of which there are so many. */
  default void isolate(int host, int hosts) {
    for (int other = 0; other < hosts; other++) {
      if (other != host) {
        cut(host, other);
        cut(other, host);
      }
    }
  }

  /** All hosts are this machine: nothing can be cut. */
  final class Loopback implements Network {
    @Override
    public String address(int host) {
      return "127.0.0.1";
    }

    @Override
    public List<String> runsOn(int host) {
      return List.of();
    }

    @Override
    public Optional<String> refusal() {
      return Optional.of(Namespaces.unavailable().orElse("the loopback cannot be cut"));
    }

    @Override
    public void cut(int from, int to) {
      throw new IllegalStateException("the loopback cannot be cut from " + from + " to " + to);
    }

    @Override
    public void heal() {}

    @Override
    public void close() {}
  }
}
