package io.stele.metastore.node;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;

/** How much a member takes before it refuses more. The leader's count. */
public record NodeLimits(
    @About(
            "How large the state may grow before the alarm NOSPACE: from then on only deletions and"
                + " compactions are taken, until the alarm is disarmed; 0B for no bound")
        ByteSize quota,
    @About("How many sessions may live at a time; no more are opened") int sessions,
    @About("How many leases may live at a time; no more are granted") int leases) {
  public static final NodeLimits DEFAULT = new NodeLimits(ByteSize.ofGiB(16), 100_000, 1_000_000);

  public NodeLimits {
    if (sessions < 1 || leases < 1) {
      throw new InvalidRequestException(
          "limits of " + sessions + " sessions and " + leases + " leases: at least 1 each");
    }
  }
}
