package io.stele.it.metastore;

import java.util.List;

/** The hosts that members of a test run on. The test itself always reaches all of them. */
public interface TestNetwork extends AutoCloseable {

  /** The address of a host, by its number from 0. */
  String address(int host);

  /** What to put before a command so that it runs on a host. */
  List<String> runsOn(int host);

  /** Whether hosts can be cut off from each other. */
  boolean canCut();

  /** From now on nothing that one host sends reaches the other; silently, as on a real network. */
  void cut(int from, int to);

  /** Everything reaches everyone again. */
  void heal();

  @Override
  void close();

  /** Of namespaces where the machine allows it, otherwise this machine's loopback. */
  static TestNetwork open() {
    return Namespaces.refusal().isEmpty() ? new Namespaces() : new Loopback();
  }

  /** Every member on this machine's loopback: nothing can be cut. */
  final class Loopback implements TestNetwork {
    @Override
    public String address(int host) {
      return "127.0.0.1";
    }

    @Override
    public List<String> runsOn(int host) {
      return List.of();
    }

    @Override
    public boolean canCut() {
      return false;
    }

    @Override
    public void cut(int from, int to) {
      throw new IllegalStateException("loopback cannot be cut from " + from + " to " + to);
    }

    @Override
    public void heal() {}

    @Override
    public void close() {}
  }
}
