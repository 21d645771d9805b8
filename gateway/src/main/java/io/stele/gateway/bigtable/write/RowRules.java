package io.stele.gateway.bigtable.write;

import com.google.bigtable.v2.Family;
import com.google.bigtable.v2.ReadModifyWriteRowResponse;
import com.google.bigtable.v2.ReadModifyWriteRule;
import com.google.bigtable.v2.Row;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.ColumnRange;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules that make new values of the newest ones. A result gets the server's time or, if that is
 * later, the time of the value that it was made from: so it is the newest in turn.
 */
final class RowRules {
  private final Bytes row;
  private final long nowMicros;
  private final Map<Column, Cell> newest = new TreeMap<>();
  private final Map<Column, Cell> results = new TreeMap<>();

  /**
   * Starts without anything known of the row.
   *
   * @param nowMicros whole milliseconds
   */
  RowRules(Bytes row, long nowMicros) {
    this.row = row;
    this.nowMicros = nowMicros;
  }

  /** Takes the newest cell of a column. */
  boolean load(CellView cell) {
    Cell copy = cell.toCell();
    newest.put(new Column(copy.family(), copy.qualifier()), copy);
    return true;
  }

  static ColumnRange[] columns(List<ReadModifyWriteRule> rules) {
    return rules.stream()
        .map(rule -> ColumnRange.column(column(rule).family(), column(rule).qualifier()))
        .toArray(ColumnRange[]::new);
  }

  static List<String> families(List<ReadModifyWriteRule> rules) {
    return rules.stream().map(ReadModifyWriteRule::getFamilyName).toList();
  }

  private static Column column(ReadModifyWriteRule rule) {
    return new Column(
        MutationLimits.family(rule.getFamilyName()),
        MutationLimits.qualifier(rule.getColumnQualifier()));
  }

  void apply(List<ReadModifyWriteRule> rules) {
    for (ReadModifyWriteRule rule : rules) {
      Column column = column(rule);
      @Nullable Cell before = results.getOrDefault(column, newest.get(column));
      Bytes value = before == null ? Bytes.EMPTY : before.value();
      long timestamp = before == null ? nowMicros : Math.max(nowMicros, before.timestamp());
      results.put(
          column,
          Cell.put(
              row,
              column.family(),
              column.qualifier(),
              timestamp,
              result(rule, column, before != null, value)));
    }
  }

  private Bytes result(ReadModifyWriteRule rule, Column column, boolean present, Bytes value) {
    return switch (rule.getRuleCase()) {
      case APPEND_VALUE -> value.concat(Bytes.wrap(rule.getAppendValue().toByteArray()));
      case INCREMENT_AMOUNT -> {
        if (present && value.length() != Long.BYTES) {
          throw new InvalidRequestException(
              "column "
                  + column
                  + " of row \""
                  + row
                  + "\" has a value of "
                  + value.length()
                  + " bytes: only one of "
                  + Long.BYTES
                  + " can be added to");
        }
        long number = present ? Binary.getLongBigEndian(value.sharedArray(), 0) : 0;
        yield Aggregate.encode(number + rule.getIncrementAmount());
      }
      case RULE_NOT_SET ->
          throw new InvalidRequestException(
              "a rule for column " + column + " that says nothing that this server knows");
    };
  }

  CellBatch toCells() {
    CellBatchBuilder batch = new CellBatchBuilder();
    results.values().forEach(batch::add);
    return batch.build();
  }

  /** The cells that were written, by family and column. */
  ReadModifyWriteRowResponse response() {
    Row.Builder answer = Row.newBuilder().setKey(wrap(row));
    Family.@Nullable Builder family = null;
    for (Cell cell : results.values()) {
      String name = cell.family().toUtf8();
      if (family == null || !family.getName().equals(name)) {
        family = answer.addFamiliesBuilder().setName(name);
      }
      family
          .addColumnsBuilder()
          .setQualifier(wrap(cell.qualifier()))
          .addCellsBuilder()
          .setTimestampMicros(cell.timestamp())
          .setValue(wrap(cell.value()));
    }
    return ReadModifyWriteRowResponse.newBuilder().setRow(answer).build();
  }

  private static ByteString wrap(Bytes bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes.sharedArray());
  }
}
