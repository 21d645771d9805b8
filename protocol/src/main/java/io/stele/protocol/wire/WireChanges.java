package io.stele.protocol.wire;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.protocol.v1.CheckAndMutateRow;
import io.stele.protocol.v1.ModifyRule;
import io.stele.protocol.v1.ReadModifyWriteRow;
import io.stele.protocol.v1.RowOutcomeAnswer;
import io.stele.protocol.v1.RowOutcomes;
import io.stele.protocol.v1.ValueComparison;
import java.util.List;
import java.util.Optional;

/** Changes of rows that depend on what they hold, and what became of changes, on the wire. */
public final class WireChanges {
  private WireChanges() {}

  public static CheckAndMutateRow toWire(CheckAndMutate request) {
    CheckAndMutateRow.Builder wire =
        CheckAndMutateRow.newBuilder()
            .setRow(WireCells.toWire(request.row()))
            .setCondition(WirePredicates.toWire(request.condition()));
    request
        .comparison()
        .ifPresent(
            comparison ->
                wire.setComparison(
                    ValueComparison.newBuilder()
                        .setOperator(toWire(comparison.operator()))
                        .setValue(WireCells.toWire(comparison.value()))));
    request.whenMet().ifPresent(cells -> wire.setWhenMet(WireCells.toWire(cells)));
    request.otherwise().ifPresent(cells -> wire.setOtherwise(WireCells.toWire(cells)));
    return wire.build();
  }

  public static CheckAndMutate check(CheckAndMutateRow wire) {
    return new CheckAndMutate(
        WireCells.bytes(wire.getRow()),
        WirePredicates.predicate(wire.getCondition()),
        wire.hasComparison()
            ? Optional.of(
                new CheckAndMutate.ValueComparison(
                    operator(wire.getComparison()),
                    WireCells.bytes(wire.getComparison().getValue())))
            : Optional.empty(),
        wire.hasWhenMet() ? Optional.of(WireCells.cells(wire.getWhenMet())) : Optional.empty(),
        wire.hasOtherwise() ? Optional.of(WireCells.cells(wire.getOtherwise())) : Optional.empty());
  }

  private static ValueComparison.Operator toWire(CheckAndMutate.Operator operator) {
    return switch (operator) {
      case LESS -> ValueComparison.Operator.LESS;
      case LESS_OR_EQUAL -> ValueComparison.Operator.LESS_OR_EQUAL;
      case EQUAL -> ValueComparison.Operator.EQUAL;
      case NOT_EQUAL -> ValueComparison.Operator.NOT_EQUAL;
      case GREATER_OR_EQUAL -> ValueComparison.Operator.GREATER_OR_EQUAL;
      case GREATER -> ValueComparison.Operator.GREATER;
    };
  }

  private static CheckAndMutate.Operator operator(ValueComparison wire) {
    return switch (wire.getOperator()) {
      case LESS -> CheckAndMutate.Operator.LESS;
      case LESS_OR_EQUAL -> CheckAndMutate.Operator.LESS_OR_EQUAL;
      case EQUAL -> CheckAndMutate.Operator.EQUAL;
      case NOT_EQUAL -> CheckAndMutate.Operator.NOT_EQUAL;
      case GREATER_OR_EQUAL -> CheckAndMutate.Operator.GREATER_OR_EQUAL;
      case GREATER -> CheckAndMutate.Operator.GREATER;
      case UNSPECIFIED, UNRECOGNIZED ->
          throw new InvalidRequestException(
              "comparison operator " + wire.getOperatorValue() + ": must be 1 to 6");
    };
  }

  public static ReadModifyWriteRow toWire(Bytes row, List<RowRule> rules) {
    ReadModifyWriteRow.Builder wire = ReadModifyWriteRow.newBuilder().setRow(WireCells.toWire(row));
    for (RowRule rule : rules) {
      ModifyRule.Builder each =
          ModifyRule.newBuilder()
              .setFamily(WireCells.toWire(rule.family()))
              .setQualifier(WireCells.toWire(rule.qualifier()));
      switch (rule) {
        case RowRule.Append append -> each.setAppend(WireCells.toWire(append.value()));
        case RowRule.Increment increment -> each.setIncrement(increment.amount());
        case RowRule.Once once -> each.setOnceSeconds(once.mark().seconds());
      }
      wire.addRules(each);
    }
    return wire.build();
  }

  public static List<RowRule> rules(ReadModifyWriteRow wire) {
    return wire.getRulesList().stream().map(WireChanges::rule).toList();
  }

  private static RowRule rule(ModifyRule wire) {
    var family = WireCells.bytes(wire.getFamily());
    var qualifier = WireCells.bytes(wire.getQualifier());
    return switch (wire.getRuleCase()) {
      case APPEND -> new RowRule.Append(family, qualifier, WireCells.bytes(wire.getAppend()));
      case INCREMENT -> new RowRule.Increment(family, qualifier, wire.getIncrement());
      case ONCE_SECONDS -> new RowRule.Once(new RequestMark(qualifier, wire.getOnceSeconds()));
      case RULE_NOT_SET ->
          throw new InvalidRequestException(
              "rule for " + family + ":" + qualifier + ": must append or increment");
    };
  }

  public static RowOutcomes toWire(List<RowOutcome> outcomes) {
    RowOutcomes.Builder wire = RowOutcomes.newBuilder();
    for (RowOutcome outcome : outcomes) {
      RowOutcomeAnswer.Builder each = RowOutcomeAnswer.newBuilder().setTxn(outcome.txn());
      outcome.failure().ifPresent(failure -> each.setError(ErrorMapping.toMessage(failure)));
      wire.addOutcomes(each);
    }
    return wire.build();
  }

  /**
   * What became of the rows.
   *
   * @param where the address that answered
   */
  public static List<RowOutcome> outcomes(String where, RowOutcomes wire) {
    return wire.getOutcomesList().stream()
        .map(
            each ->
                each.hasError()
                    ? RowOutcome.failed(ErrorMapping.fromMessage(where, each.getError()))
                    : RowOutcome.committed(each.getTxn()))
        .toList();
  }
}
