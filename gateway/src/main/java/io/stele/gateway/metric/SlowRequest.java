package io.stele.gateway.metric;

import io.stele.base.event.Event;
import java.util.concurrent.TimeUnit;

/**
 * A request took long.
 *
 * @param table empty if it is about none
 * @param spent where the time went, as far as that is known; empty if it is not
 * @param untold how many others were slow since the last that was told
 */
public record SlowRequest(
    Api api, String kind, String table, Outcome outcome, long nanos, String spent, long untold)
    implements Event {
  @Override
  public Level level() {
    return Level.WARN;
  }

  @Override
  public String text() {
    return "slow request: %s %s%s took %d ms (%s)%s%s"
        .formatted(
            api.label(),
            kind,
            table.isEmpty() ? "" : " of table " + table,
            TimeUnit.NANOSECONDS.toMillis(nanos),
            outcome.label(),
            spent.isEmpty() ? "" : ": " + spent,
            untold == 0 ? "" : "; " + untold + " more were slow since the last such line");
  }
}
