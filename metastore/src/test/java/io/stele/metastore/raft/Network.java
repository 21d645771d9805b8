package io.stele.metastore.raft;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.util.CodeInjectionForTesting;

/** The wires between the members of this process, which can be cut. One at a time. */
final class Network implements AutoCloseable {
  private static final String[] CALLS = {
    "RaftServerImpl.appendEntries", "RaftServerImpl.requestVote", "RaftServerImpl.installSnapshot"
  };

  private final Set<String> isolated = ConcurrentHashMap.newKeySet();

  Network() {
    for (String call : CALLS) {
      CodeInjectionForTesting.put(
          call,
          (local, remote, args) -> {
            if (cut(String.valueOf(local), String.valueOf(remote))) {
              throw new IllegalStateException(remote + " does not reach " + local);
            }
            return false;
          });
    }
  }

  /** Nothing passes between this member and the others, either way. */
  void isolate(String member) {
    isolated.add(member);
  }

  void heal() {
    isolated.clear();
  }

  boolean cut(String one, String other) {
    return !one.equals(other) && (isolated.contains(one) || isolated.contains(other));
  }

  @Override
  public void close() {
    heal();
    for (String call : CALLS) {
      CodeInjectionForTesting.remove(call);
    }
  }
}
