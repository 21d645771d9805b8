package io.stele.gateway.bigtable.admin;

import com.google.bigtable.admin.v2.ColumnFamily;
import com.google.bigtable.admin.v2.Table;
import com.google.bigtable.admin.v2.Type;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.write.Aggregate;
import io.stele.gateway.bigtable.write.FamilyTypes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The types of families, as they were noted when the families were created. A note is remembered
 * for a moment, since every mutation needs it and it hardly ever changes: a change by another
 * server is known here a moment later, a new family sooner.
 *
 * <p>Writes must not depend on the table of notes, which may be moving to another server: once a
 * note has been read, a mutation waits only briefly for a newer one, and then goes by what is
 * remembered. Only a family that no note read here has named waits for the table.
 */
public final class NotedTypes implements FamilyTypes {
  private static final long KNOWN_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long UNKNOWN_NANOS = Duration.ofMillis(50).toNanos();

  /** How long a mutation waits for a newer note, counted from when it was asked for. */
  private static final long PATIENCE_NANOS = Duration.ofMillis(200).toNanos();

  /**
   * A note as it was.
   *
   * @param families all that it names, also those of plain cells
   * @param noted false if there was no note: such a table was not created by Bigtable's clients,
   *     and all its families are plain
   * @param nanos when it was last asked for, with or without success
   */
  private record Remembered(Map<String, Optional<Aggregate>> families, boolean noted, long nanos) {
    boolean isFresh(String family, long now) {
      return now - nanos < (families.containsKey(family) ? KNOWN_NANOS : UNKNOWN_NANOS);
    }

    boolean tells(String family) {
      return !noted || families.containsKey(family);
    }

    Optional<Aggregate> of(String family) {
      return families.getOrDefault(family, Optional.empty());
    }
  }

  /** A note that is being read, since a time. */
  private record Reading(CompletableFuture<Remembered> note, long since) {}

  private final NotedMessages<Table> notes;
  private final Clock clock;
  private final Executor threads;
  private final Map<String, Remembered> remembered = new ConcurrentHashMap<>();
  private final Map<String, Reading> readings = new ConcurrentHashMap<>();

  /**
   * Types by notes.
   *
   * @param threads that may wait, for the notes that are read
   */
  public NotedTypes(Notes notes, Clock clock, Executor threads) {
    this.notes = new NotedMessages<>(notes, Notes.TABLES, Table.parser());
    this.clock = clock;
    this.threads = threads;
  }

  @Override
  public Optional<Aggregate> aggregateOf(String table, String family) {
    long now = clock.nanos();
    Remembered known = remembered.get(table);
    if (known != null && known.isFresh(family, now)) {
      return known.of(family);
    }
    Reading reading = reading(table, now);
    if (known == null || !known.tells(family)) {
      return newest(reading).of(family);
    }
    try {
      return reading
          .note()
          .get(reading.since() + PATIENCE_NANOS - now, TimeUnit.NANOSECONDS)
          .of(family);
    } catch (TimeoutException | ExecutionException e) {
      return known.of(family); // the notes are away
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return known.of(family);
    }
  }

  private static Remembered newest(Reading reading) {
    try {
      return reading.note().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof SteleException known ? known : e;
    }
  }

  /** The one that is under way, or a new one. */
  private Reading reading(String table, long now) {
    Reading begun = new Reading(new CompletableFuture<>(), now);
    Reading before = readings.putIfAbsent(table, begun);
    if (before != null) {
      return before;
    }
    threads.execute(() -> run(table, begun));
    return begun;
  }

  private void run(String table, Reading reading) {
    try {
      Remembered read = read(table, reading.since());
      if (readings.remove(table, reading)) { // otherwise the table was changed meanwhile
        remembered.put(table, read);
      }
      reading.note().complete(read);
    } catch (RuntimeException | Error e) {
      readings.remove(table, reading);
      remembered.computeIfPresent(
          table, (_, old) -> new Remembered(old.families(), old.noted(), clock.nanos()));
      reading.note().completeExceptionally(e);
    }
  }

  private Remembered read(String table, long now) {
    Map<String, Optional<Aggregate>> families = new HashMap<>();
    Optional<Table> note = notes.get(table);
    note.ifPresent(
        noted ->
            noted
                .getColumnFamiliesMap()
                .forEach((name, how) -> families.put(name, aggregate(name, how))));
    return new Remembered(families, note.isPresent(), now);
  }

  /** The note is read again: a table was created, changed or dropped. */
  void forget(String table) {
    readings.remove(table);
    remembered.remove(table);
  }

  /**
   * How a family adds up what is written to it.
   *
   * @throws InvalidRequestException if it cannot be stored so
   */
  static Optional<Aggregate> aggregate(String family, ColumnFamily how) {
    if (!how.getValueType().hasAggregateType()) {
      return Optional.empty();
    }
    Type.Aggregate type = how.getValueType().getAggregateType();
    Aggregate aggregate =
        switch (type.getAggregatorCase()) {
          case SUM -> Aggregate.SUM;
          case MIN -> Aggregate.MIN;
          case MAX -> Aggregate.MAX;
          case HLLPP_UNIQUE_COUNT ->
              throw Refusal.notOffered(
                  "aggregate hllpp_unique_count of column family \"" + family + "\"",
                  "Stele has sum, min and max; count distinct values from plain cells");
          case AGGREGATOR_NOT_SET ->
              throw new InvalidRequestException(
                  "aggregate of column family \""
                      + family
                      + "\" without an aggregator: must be sum, min or max");
        };
    if (!type.getInputType().hasInt64Type()) {
      throw new InvalidRequestException(
          "aggregate "
              + aggregate
              + " of column family \""
              + family
              + "\" over inputs of type "
              + type.getInputType().getKindCase()
              + ": must be int64_type");
    }
    return Optional.of(aggregate);
  }
}
