package io.stele.gateway.bigtable.write;

import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.TimestampRange;
import com.google.bigtable.v2.Value;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.InvalidRequestException;
import java.util.List;

/** Mutations of one row as cells. */
final class Mutations {
  private final String table;
  private final FamilyTypes types;
  private final Bytes row;
  private final long nowMicros;
  private final AggregateStates states;
  private final CellBatchBuilder batch = new CellBatchBuilder();

  /**
   * Mutations that are to be made now.
   *
   * @param states what cells of aggregates hold, which are to be added to
   */
  Mutations(String table, FamilyTypes types, Bytes row, long nowMicros, AggregateStates states) {
    this.table = table;
    this.types = types;
    this.row = row;
    this.nowMicros = nowMicros;
    this.states = states;
  }

  /** True if what is to be written depends on what is there. */
  static boolean dependOnRow(List<Mutation> mutations) {
    for (Mutation mutation : mutations) {
      if (mutation.hasAddToCell() || mutation.hasMergeToCell()) {
        return true;
      }
    }
    return false;
  }

  CellBatch toCells(List<Mutation> mutations) {
    for (Mutation mutation : mutations) {
      add(mutation);
    }
    return batch.build();
  }

  private void add(Mutation mutation) {
    switch (mutation.getMutationCase()) {
      case SET_CELL ->
          set(
              mutation.getSetCell(),
              mutation.getTimestampOrigin() == Mutation.TimestampOrigin.CLIENT_AUTO_GENERATED);
      case ADD_TO_CELL -> {
        Mutation.AddToCell add = mutation.getAddToCell();
        accumulate(
            add.getFamilyName(), add.getColumnQualifier(), add.getTimestamp(), add.getInput());
      }
      case MERGE_TO_CELL -> {
        Mutation.MergeToCell merge = mutation.getMergeToCell();
        accumulate(
            merge.getFamilyName(),
            merge.getColumnQualifier(),
            merge.getTimestamp(),
            merge.getInput());
      }
      case DELETE_FROM_COLUMN -> erase(mutation.getDeleteFromColumn());
      case DELETE_FROM_FAMILY ->
          erase(
              Cell.eraseFamily(
                  row, MutationLimits.family(mutation.getDeleteFromFamily().getFamilyName())));
      case DELETE_FROM_ROW -> erase(Cell.eraseRow(row));
      case MUTATION_NOT_SET ->
          throw new InvalidRequestException(
              "a mutation of row \"" + row + "\" that says nothing that this server knows");
    }
  }

  private void set(Mutation.SetCell set, boolean truncate) {
    String family = set.getFamilyName();
    if (types.aggregateOf(table, family).isPresent()) {
      throw new InvalidRequestException(
          "SetCell in family \""
              + family
              + "\", which adds up what is written: must be AddToCell or MergeToCell");
    }
    long timestamp = set.getTimestampMicros();
    batch.put(
        row,
        MutationLimits.family(family),
        MutationLimits.qualifier(set.getColumnQualifier()),
        MutationLimits.timestamp(
            truncate && timestamp > 0 ? MutationLimits.millis(timestamp) : timestamp, nowMicros),
        Bytes.wrap(set.getValue().toByteArray()));
  }

  private void erase(Mutation.DeleteFromColumn delete) {
    Bytes family = MutationLimits.family(delete.getFamilyName());
    Bytes qualifier = MutationLimits.qualifier(delete.getColumnQualifier());
    TimestampRange range = delete.getTimeRange();
    if (range.getStartTimestampMicros() == 0 && range.getEndTimestampMicros() == 0) {
      erase(Cell.eraseColumn(row, family, qualifier));
      return;
    }
    long from = MutationLimits.checkTime(range.getStartTimestampMicros());
    long to =
        range.getEndTimestampMicros() == 0
            ? Long.MAX_VALUE
            : MutationLimits.checkTime(range.getEndTimestampMicros());
    erase(Cell.eraseColumn(row, family, qualifier, from, to));
  }

  private void erase(Cell erasure) {
    states.erase(erasure);
    batch.add(erasure);
  }

  private void accumulate(String family, Value qualifier, Value timestamp, Value input) {
    Aggregate aggregate =
        types
            .aggregateOf(table, family)
            .orElseThrow(
                () ->
                    new InvalidRequestException(
                        "AddToCell or MergeToCell in family \""
                            + family
                            + "\", whose cells are plain: must be SetCell"));
    Cell place =
        Cell.eraseCell(
            row,
            MutationLimits.family(family),
            qualifierOf(qualifier),
            timestampOf(timestamp, nowMicros));
    if (input.getKindCase() == Value.KindCase.KIND_NOT_SET) {
      return; // nothing, and so without effect
    }
    long more = number(aggregate, family, input);
    long state = states.of(place).map(before -> sum(aggregate, family, before, more)).orElse(more);
    Bytes value = Aggregate.encode(state);
    states.put(place, value);
    batch.put(row, place.family(), place.qualifier(), place.timestamp(), value);
  }

  private static long sum(Aggregate aggregate, String family, Bytes before, long more) {
    try {
      return aggregate.add(aggregate.decode(before, family), more);
    } catch (ArithmeticException e) {
      throw new InvalidRequestException(
          "a " + aggregate + " of family \"" + family + "\" leaves the range of 64 bits", e);
    }
  }

  private static long number(Aggregate aggregate, String family, Value input) {
    return switch (input.getKindCase()) {
      case INT_VALUE -> input.getIntValue();
      case RAW_VALUE -> aggregate.decode(Bytes.wrap(input.getRawValue().toByteArray()), family);
      case BYTES_VALUE -> aggregate.decode(Bytes.wrap(input.getBytesValue().toByteArray()), family);
      default ->
          throw new InvalidRequestException(
              "input "
                  + input.getKindCase()
                  + " for a "
                  + aggregate
                  + " in family \""
                  + family
                  + "\": must be a 64-bit integer");
    };
  }

  static Bytes qualifierOf(Value value) {
    if (!value.hasRawValue()) {
      throw new InvalidRequestException(
          "column_qualifier of kind " + value.getKindCase() + ": must be raw_value");
    }
    return MutationLimits.qualifier(value.getRawValue());
  }

  static long timestampOf(Value value, long nowMicros) {
    if (!value.hasRawTimestampMicros()) {
      throw new InvalidRequestException(
          "timestamp of kind " + value.getKindCase() + ": must be raw_timestamp_micros");
    }
    return MutationLimits.timestamp(value.getRawTimestampMicros(), nowMicros);
  }
}
