package io.stele.gateway.bigtable.write;

import com.google.bigtable.v2.CheckAndMutateRowRequest;
import com.google.bigtable.v2.CheckAndMutateRowResponse;
import com.google.bigtable.v2.MutateRowRequest;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.ReadModifyWriteRowRequest;
import com.google.bigtable.v2.ReadModifyWriteRowResponse;
import com.google.bigtable.v2.RowFilter;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.call.BigtableErrors;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;

/**
 * Changes of rows. Plain mutations are committed as they are. Those that depend on what a row holds
 * read it as far as it is durable, and are committed only if nobody has changed it since; else it
 * is read again.
 */
public final class RowWrites {
  private final Tables tables;
  private final TableAdmin admin;
  private final FamilyTypes types;
  private final Clock clock;
  private final RandomGenerator random;
  private final RowTurns turns = new RowTurns();

  public RowWrites(
      Tables tables, TableAdmin admin, FamilyTypes types, Clock clock, RandomGenerator random) {
    this.tables = tables;
    this.admin = admin;
    this.types = types;
    this.clock = clock;
    this.random = random;
  }

  /** Mutations of a row that do not depend on it, as cells. */
  CellBatch cells(String table, Bytes row, List<Mutation> mutations) {
    return cells(table, row, mutations, new AggregateStates());
  }

  private CellBatch cells(
      String table, Bytes row, List<Mutation> mutations, AggregateStates states) {
    checkErased(table, mutations);
    return new Mutations(table, types, row, clock.micros(), states).toCells(mutations);
  }

  /** What is erased again by the same request is not written: so its families are checked here. */
  private void checkErased(String table, List<Mutation> mutations) {
    for (int i = mutations.size() - 1; i > 0; i--) {
      if (mutations.get(i).hasDeleteFromRow()) {
        List<String> families = mutations.subList(0, i).stream().map(RowWrites::family).toList();
        unknownFamily(table, families)
            .ifPresent(
                absent -> {
                  throw absent;
                });
        return;
      }
    }
  }

  /** Commits mutations of one row. May block. */
  public CompletableFuture<Long> mutate(String table, MutateRowRequest request) {
    return mutate(
        table,
        MutationLimits.row(request.getRowKey()),
        request.getMutationsList(),
        IdempotencyTokens.mark(request.hasIdempotency(), request.getIdempotency()));
  }

  /** Commits mutations of one row. Blocks if {@link Mutations#dependOnRow} is true. */
  CompletableFuture<Long> mutate(
      String table, Bytes row, List<Mutation> mutations, Optional<RequestMark> mark) {
    MutationLimits.checkCount(mutations.size());
    CompletableFuture<Long> done =
        Mutations.dependOnRow(mutations)
            ? CompletableFuture.completedFuture(accumulate(table, row, mutations, mark))
            : tables.apply(
                table,
                IdempotencyTokens.marked(cells(table, row, mutations), mark),
                Tables.ANY_TXN,
                true);
    return done.exceptionallyCompose(
        problem -> CompletableFuture.failedFuture(explained(table, mutations, problem)));
  }

  private long accumulate(
      String table, Bytes row, List<Mutation> mutations, Optional<RequestMark> mark) {
    ReadPredicate columns = AggregateStates.wanted(row, mutations);
    return turns.take(
        table,
        row,
        () -> {
          AggregateStates states = new AggregateStates();
          long txn = RowReads.each(tables, table, columns, states::load);
          CellBatch cells = cells(table, row, mutations, states);
          return RowReads.join(
              tables.apply(table, IdempotencyTokens.marked(cells, mark), txn, true));
        });
  }

  /** Commits one of two lists of mutations, by what a filter finds in the row. Blocks. */
  public CheckAndMutateRowResponse checkAndMutate(String table, CheckAndMutateRowRequest request) {
    Bytes row = MutationLimits.row(request.getRowKey());
    MutationLimits.checkCount(
        (long) request.getTrueMutationsCount() + request.getFalseMutationsCount());
    RowFilter filter =
        request.hasPredicateFilter()
            ? request.getPredicateFilter()
            : RowFilter.newBuilder().setPassAllFilter(true).build();
    RowCheck check = new RowCheck(tables, table, row, filter, random);
    boolean met = turns.take(table, row, () -> checkOnce(table, row, request, check));
    return CheckAndMutateRowResponse.newBuilder().setPredicateMatched(met).build();
  }

  private boolean checkOnce(
      String table, Bytes row, CheckAndMutateRowRequest request, RowCheck check) {
    RowCheck.Outcome outcome = check.run();
    List<Mutation> mutations =
        outcome.met() ? request.getTrueMutationsList() : request.getFalseMutationsList();
    if (mutations.isEmpty()) {
      return outcome.met();
    }
    AggregateStates states = new AggregateStates();
    if (Mutations.dependOnRow(mutations)) {
      // Read later than the check: if the row was changed in between, there is a conflict.
      RowReads.each(tables, table, AggregateStates.wanted(row, mutations), states::load);
    }
    CellBatch batch = cells(table, row, mutations, states);
    try {
      var _ = RowReads.join(tables.apply(table, batch, outcome.txn(), true));
    } catch (InvalidRequestException e) {
      throw explained(table, mutations, e);
    }
    return outcome.met();
  }

  /** Appends to and adds to columns of a row. Blocks. */
  public ReadModifyWriteRowResponse readModifyWrite(
      String table, ReadModifyWriteRowRequest request) {
    Bytes row = MutationLimits.row(request.getRowKey());
    MutationLimits.checkCount(request.getRulesCount());
    ReadPredicate newest =
        ReadPredicate.rows(RowRange.row(row))
            .withColumns(RowRules.columns(request.getRulesList()))
            .withHistory(1);
    try {
      return turns.take(
          table,
          row,
          () -> {
            RowRules rules = new RowRules(row, MutationLimits.millis(clock.micros()));
            long txn = RowReads.each(tables, table, newest, rules::load);
            rules.apply(request.getRulesList());
            var _ = RowReads.join(tables.apply(table, rules.toCells(), txn, true));
            return rules.response();
          });
    } catch (InvalidRequestException e) {
      throw unknownFamily(table, RowRules.families(request.getRulesList()))
          .map(SteleException.class::cast)
          .orElse(e);
    }
  }

  // ---- errors

  /** A family that a table does not have is not found, rather than a mistake of the request. */
  RuntimeException explained(String table, List<Mutation> mutations, Throwable problem) {
    Throwable cause = BigtableErrors.cause(problem);
    if (cause instanceof InvalidRequestException) {
      Optional<NotFoundException> absent =
          unknownFamily(table, mutations.stream().map(RowWrites::family).toList());
      if (absent.isPresent()) {
        return absent.get();
      }
    }
    return cause instanceof RuntimeException known ? known : new CompletionException(cause);
  }

  private Optional<NotFoundException> unknownFamily(String table, List<String> families) {
    TableSchema schema;
    try {
      schema = admin.schema(table);
    } catch (SteleException e) {
      return Optional.empty(); // then the first failure tells more
    }
    return families.stream()
        .filter(family -> !family.isEmpty() && schema.groupOf(family).isEmpty())
        .findFirst()
        .map(
            family ->
                new NotFoundException(
                    "family \"" + family + "\" of table \"" + table + "\" does not exist"));
  }

  /** Empty if a mutation names none. */
  private static String family(Mutation mutation) {
    return switch (mutation.getMutationCase()) {
      case SET_CELL -> mutation.getSetCell().getFamilyName();
      case ADD_TO_CELL -> mutation.getAddToCell().getFamilyName();
      case MERGE_TO_CELL -> mutation.getMergeToCell().getFamilyName();
      case DELETE_FROM_COLUMN -> mutation.getDeleteFromColumn().getFamilyName();
      case DELETE_FROM_FAMILY -> mutation.getDeleteFromFamily().getFamilyName();
      case DELETE_FROM_ROW, MUTATION_NOT_SET -> "";
    };
  }
}
