package io.stele.client.metastore;

import io.stele.client.call.Caller;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.StatusRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Has the leader asked, where it is one of the servers that the client was given: others would only
 * pass on. It may change, so it is looked for now and then, beside the calls.
 */
final class LeaderSearch {
  private static final long EVERY_NANOS = Duration.ofSeconds(5).toNanos();

  private final Caller caller;
  private final AtomicLong nextAt;

  LeaderSearch(Caller caller) {
    this.caller = caller;
    this.nextAt = new AtomicLong(caller.clock().nanos());
  }

  /** Cheap unless it is time again. */
  void seekNowAndThen() {
    if (caller.endpoints().size() == 1) {
      return;
    }
    long now = caller.clock().nanos();
    long due = nextAt.get();
    if (now - due >= 0 && nextAt.compareAndSet(due, now + EVERY_NANOS)) {
      seek();
    }
  }

  private void seek() {
    Endpoint asked = caller.endpoints().current();
    var _ =
        caller
            .callAt(
                asked.address(),
                MetastoreGrpc.getStatusMethod(),
                StatusRequest.getDefaultInstance(),
                caller.settings().attemptTimeout())
            .thenAccept(
                status -> {
                  String leader = status.getLeader().getServiceAddress();
                  // Under another name we might not reach it.
                  if (caller.endpoints().addresses().contains(leader)) {
                    caller.endpoints().follow(leader);
                  }
                });
  }
}
