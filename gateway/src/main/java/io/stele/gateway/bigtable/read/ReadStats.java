package io.stele.gateway.bigtable.read;

import com.google.bigtable.v2.FullReadStatsView;
import com.google.bigtable.v2.ReadIterationStats;
import com.google.bigtable.v2.RequestLatencyStats;
import com.google.bigtable.v2.RequestStats;
import com.google.protobuf.Duration;

/** How much a read looked at, and how much of it was sent. */
final class ReadStats {
  private static final long SECOND = 1_000_000_000L;

  private final long startNanos;
  private long rowsSeen;
  private long rowsReturned;
  private long cellsSeen;
  private long cellsReturned;

  ReadStats(long startNanos) {
    this.startNanos = startNanos;
  }

  void rowSeen() {
    rowsSeen++;
  }

  void rowReturned() {
    rowsReturned++;
  }

  void cellSeen() {
    cellsSeen++;
  }

  void cellReturned() {
    cellsReturned++;
  }

  long cellsReturned() {
    return cellsReturned;
  }

  RequestStats toMessage(long nowNanos) {
    long nanos = nowNanos - startNanos;
    return RequestStats.newBuilder()
        .setFullReadStatsView(
            FullReadStatsView.newBuilder()
                .setReadIterationStats(
                    ReadIterationStats.newBuilder()
                        .setRowsSeenCount(rowsSeen)
                        .setRowsReturnedCount(rowsReturned)
                        .setCellsSeenCount(cellsSeen)
                        .setCellsReturnedCount(cellsReturned))
                .setRequestLatencyStats(
                    RequestLatencyStats.newBuilder()
                        .setFrontendServerLatency(
                            Duration.newBuilder()
                                .setSeconds(nanos / SECOND)
                                .setNanos((int) (nanos % SECOND)))))
        .build();
  }
}
