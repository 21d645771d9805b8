package io.stele.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.table.Replicas.PartitionStatus;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.metastore.Workers;
import io.stele.it.process.LongestGap;
import io.stele.it.process.SteleCluster;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Splits partitions that are being written to: one by one with a look at the writers, and many of
 * them while servers fail.
 */
final class Splits implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration PAUSE =
      Duration.ofSeconds(2); // so that some are under way in every fault
  private static final int MOST_PARTITIONS = 8; // of a table, but for those split by size
  private static final int DIGITS = 16;

  private final ReplicaTables tables;
  private final Load load;
  private final Stele stele;
  private final Workers storm;
  private final long seed;
  private final AtomicInteger begun = new AtomicInteger();

  Splits(ReplicaTables tables, Load load, long seed) {
    this.tables = tables;
    this.load = load;
    this.seed = seed;
    this.stele = tables.client(0, PATIENCE);
    this.storm = new Workers("splits", seed);
  }

  /** A row inside a partition, about in its middle; nothing is known of what is stored there. */
  static Bytes within(PartitionStatus partition) {
    BigInteger first = digits(partition.first(), false);
    BigInteger last = digits(partition.last().orElse(Bytes.EMPTY), partition.last().isEmpty());
    return Bytes.utf8("%016x".formatted(first.add(last).shiftRight(1)));
  }

  private static BigInteger digits(Bytes row, boolean end) {
    String text = row.toUtf8();
    text = text.substring(0, Math.min(DIGITS, text.length()));
    return new BigInteger("0" + text + (end ? "f" : "0").repeat(DIGITS - text.length()), 16);
  }

  /**
   * Splits a partition, and says how long a writer of one of its halves had to wait at most for an
   * acknowledgement, from before the split until the halves had taken its place.
   */
  Duration splitUnderWrites() throws InterruptedException {
    PartitionStatus parent =
        status(Load.STAMPED).stream()
            .filter(partition -> partition.splitAt().isEmpty())
            .findAny()
            .orElseThrow();
    Bytes middle = within(parent);
    List<String> rows = List.of(middle.toUtf8(), middle.toUtf8() + "-upper");
    List<LongestGap> gaps = rows.stream().map(_ -> new LongestGap(Clock.system())).toList();
    Workers writers = new Workers("writers of a partition that is split", seed);
    try (Stele client = tables.client(1, PATIENCE)) {
      for (int i = 0; i < rows.size(); i++) {
        String row = rows.get(i);
        LongestGap gap = gaps.get(i);
        writers.start(
            random -> {
              if (load.rows().write(client.rows(), Load.STAMPED, row, random)) {
                gap.happened();
                writers.answered();
              } else {
                writers.refused();
              }
            });
      }
      await("writers").atMost(PATIENCE).until(() -> writers.answers() > 20);
      begin(Load.STAMPED, middle);
      await("halves; logs in " + tables.cluster().logs())
          .atMost(SteleCluster.RECOVERY)
          .pollInterval(Duration.ofMillis(20))
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .untilAsserted(
              () ->
                  assertThat(status(Load.STAMPED))
                      .extracting(PartitionStatus::id)
                      .as("partitions %s", status(Load.STAMPED))
                      .doesNotContain(parent.id()));
      writers.stop();
      return gaps.stream().map(LongestGap::longest).max(Duration::compareTo).orElseThrow();
    }
  }

  private List<PartitionStatus> status(String table) {
    return stele.replicas().status(table).partitions();
  }

  /** It may be that the split by size was quicker. */
  private void begin(String table, Bytes row) {
    try {
      stele.replicas().split(table, row, row);
      begun.incrementAndGet();
    } catch (InvalidRequestException | ConflictException e) {
      // It is being split already, or the halves are there.
    }
  }

  /** Splits one partition after the other from now on, whatever befalls the servers. */
  void startStorm() {
    storm.start(
        random -> {
          try {
            splitAny(random);
          } catch (InvalidRequestException
              | ConflictException
              | NotFoundException
              | OutcomeUnknownException e) {
            storm.refused(); // another was quicker, or a fault came in between
          } catch (SteleException e) {
            if (!e.retryable()) {
              throw e;
            }
            storm.refused();
          }
          storm.pause(PAUSE);
        });
  }

  private void splitAny(RandomGenerator random) {
    String table = Load.TABLES.get(random.nextInt(Load.TABLES.size()));
    List<PartitionStatus> partitions = status(table);
    if (partitions.size() < MOST_PARTITIONS) {
      PartitionStatus any = partitions.get(random.nextInt(partitions.size()));
      Bytes row = within(any);
      stele.replicas().split(table, row, random.nextInt(3) == 0 ? Bytes.EMPTY : row);
      begun.incrementAndGet();
      storm.answered();
    } else if (random.nextBoolean()) {
      stele.tables().flush(table);
    } else {
      stele.tables().compact(table);
    }
  }

  void requireWorking() {
    storm.requireWorking();
  }

  void stopStorm() throws InterruptedException {
    storm.stop();
    System.out.println(storm + ": " + begun + " splits asked for");
  }

  int begun() {
    return begun.get();
  }

  @Override
  public void close() {
    stele.close();
  }
}
