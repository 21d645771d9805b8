package io.stele.gateway.bigtable.admin;

import com.google.bigtable.admin.v2.ColumnFamily;
import com.google.bigtable.admin.v2.Table;
import com.google.bigtable.admin.v2.Type;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.write.Aggregate;
import io.stele.gateway.bigtable.write.FamilyTypes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the cells of families are, by what was noted when the families were made. A note is
 * remembered for a moment, since it is asked for with every mutation and hardly ever changes: what
 * another server makes is known here a moment later, and a new family sooner.
 */
public final class NotedTypes implements FamilyTypes {
  private static final long KNOWN_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long UNKNOWN_NANOS = Duration.ofMillis(50).toNanos();

  /**
   * A note as it was.
   *
   * @param families all that it names, also those of plain cells
   */
  private record Remembered(Map<String, Optional<Aggregate>> families, long nanos) {}

  private final NotedMessages<Table> notes;
  private final Clock clock;
  private final Map<String, Remembered> remembered = new ConcurrentHashMap<>();

  public NotedTypes(Notes notes, Clock clock) {
    this.notes = new NotedMessages<>(notes, Notes.TABLES, Table.parser());
    this.clock = clock;
  }

  @Override
  public Optional<Aggregate> aggregateOf(String table, String family) {
    long now = clock.nanos();
    Remembered known = remembered.get(table);
    if (known != null) {
      Optional<Aggregate> aggregate = known.families().get(family);
      long patience = aggregate == null ? UNKNOWN_NANOS : KNOWN_NANOS;
      if (now - known.nanos() < patience) {
        return aggregate == null ? Optional.empty() : aggregate;
      }
    }
    Map<String, Optional<Aggregate>> families = new HashMap<>();
    notes
        .get(table)
        .ifPresent(
            note ->
                note.getColumnFamiliesMap()
                    .forEach((name, how) -> families.put(name, aggregate(name, how))));
    remembered.put(table, new Remembered(families, now));
    return families.getOrDefault(family, Optional.empty());
  }

  /** From here on it is asked anew: a table was made, changed or dropped. */
  void forget(String table) {
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
