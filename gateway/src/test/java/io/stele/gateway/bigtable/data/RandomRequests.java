package io.stele.gateway.bigtable.data;

import static io.stele.gateway.bigtable.data.DataFixture.TABLE;
import static io.stele.gateway.bigtable.data.DataFixture.query;
import static io.stele.gateway.bigtable.data.DataFixture.set;
import static io.stele.gateway.bigtable.data.DataFixture.utf8;

import com.google.bigtable.v2.BigtableGrpc.BigtableBlockingStub;
import com.google.bigtable.v2.CheckAndMutateRowRequest;
import com.google.bigtable.v2.MutateRowRequest;
import com.google.bigtable.v2.MutateRowsRequest;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.ReadModifyWriteRowRequest;
import com.google.bigtable.v2.ReadModifyWriteRule;
import com.google.bigtable.v2.ReadRowsRequest;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.RowFilter.FilterCase;
import com.google.bigtable.v2.RowRange;
import com.google.bigtable.v2.RowSet;
import com.google.bigtable.v2.TimestampRange;
import com.google.protobuf.ByteString;
import io.stele.gateway.bigtable.filter.RandomFilters;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Requests by chance over few rows, the same to whomever they are put. Nothing of what they answer
 * depends on the time: rows {@code m*} hold cells of the far future, and those alone are modified.
 */
final class RandomRequests {
  private static final long FUTURE = 4_000_000_000_000_000L;
  private static final List<String> FAMILIES = List.of("a", "b", "c");
  private static final List<String> QUALIFIERS = List.of("", "x", "xy", "y");

  /** A request, and how it is put to a server. */
  interface Request {
    /** What the server answers, in words. */
    String ask(BigtableBlockingStub server);
  }

  private final Random random;
  private final RandomFilters filters;

  RandomRequests(Random random, Set<FilterCase> leftOut) {
    this.random = random;
    this.filters = new RandomFilters(random, leftOut);
  }

  /** What must be there before anything else. */
  List<Request> first() {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      MutateRowRequest request =
          mutation("m" + i)
              .addMutations(set("a", "t", FUTURE, "t"))
              .addMutations(set("b", "n", FUTURE, ByteString.copyFrom(new byte[8])))
              .build();
      requests.add(server -> server.mutateRow(request).toString());
    }
    return requests;
  }

  Request next() {
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> mutateRow();
      case 3 -> mutateRows();
      case 4 -> check();
      case 5 -> modify();
      default -> read();
    };
  }

  private static MutateRowRequest.Builder mutation(String row) {
    return MutateRowRequest.newBuilder().setTableName(TABLE).setRowKey(utf8(row));
  }

  private String row() {
    return "row" + random.nextInt(8);
  }

  private <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private List<Mutation> mutations() {
    List<Mutation> mutations = new ArrayList<>();
    if (random.nextInt(20) == 0) {
      mutations.add(invalid()); // the first, as one behind others has its own test
    }
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      mutations.add(mutation());
    }
    return mutations;
  }

  private Mutation mutation() {
    return switch (random.nextInt(14)) {
      case 0 ->
          Mutation.newBuilder()
              .setDeleteFromRow(Mutation.DeleteFromRow.getDefaultInstance())
              .build();
      case 1 ->
          Mutation.newBuilder()
              .setDeleteFromFamily(
                  Mutation.DeleteFromFamily.newBuilder().setFamilyName(oneOf(FAMILIES)))
              .build();
      case 2, 3 -> {
        Mutation.DeleteFromColumn.Builder delete =
            Mutation.DeleteFromColumn.newBuilder()
                .setFamilyName(oneOf(FAMILIES))
                .setColumnQualifier(utf8(oneOf(QUALIFIERS)));
        if (random.nextBoolean()) {
          int from = random.nextInt(4);
          int to = random.nextInt(3) == 0 ? 0 : from + 1 + random.nextInt(3);
          delete.setTimeRange(
              TimestampRange.newBuilder()
                  .setStartTimestampMicros(from * 1000L)
                  .setEndTimestampMicros(to * 1000L));
        }
        yield Mutation.newBuilder().setDeleteFromColumn(delete).build();
      }
      default ->
          set(oneOf(FAMILIES), oneOf(QUALIFIERS), random.nextInt(5) * 1000L, filters.value());
    };
  }

  private Mutation invalid() {
    return switch (random.nextInt(3)) {
      case 0 -> set("nope", "x", 1000, "v");
      case 1 -> set("a", "x", 1001, "v");
      default -> set("a", "x", -2000, "v");
    };
  }

  private Request mutateRow() {
    MutateRowRequest request = mutation(row()).addAllMutations(mutations()).build();
    return asked(request.toString(), server -> server.mutateRow(request).toString());
  }

  private Request mutateRows() {
    MutateRowsRequest.Builder request = MutateRowsRequest.newBuilder().setTableName(TABLE);
    int rows = 1 + random.nextInt(5);
    int first = random.nextInt(8);
    for (int i = 0; i < rows; i++) {
      request.addEntries( // of different rows, as their order is nobody's promise
          MutateRowsRequest.Entry.newBuilder()
              .setRowKey(utf8("row" + (first + i) % 8))
              .addAllMutations(mutations()));
    }
    MutateRowsRequest built = request.build();
    return asked(
        built.toString(),
        server -> {
          List<String> outcomes = new ArrayList<>();
          server
              .mutateRows(built)
              .forEachRemaining(
                  response ->
                      response
                          .getEntriesList()
                          .forEach(
                              entry ->
                                  outcomes.add(
                                      entry.getIndex()
                                          + (entry.getStatus().getCode() == 0
                                              ? " done"
                                              : " refused"))));
          return outcomes.toString();
        });
  }

  private Request check() {
    CheckAndMutateRowRequest.Builder request =
        CheckAndMutateRowRequest.newBuilder().setTableName(TABLE).setRowKey(utf8(row()));
    if (random.nextInt(4) > 0) {
      request.setPredicateFilter(filters.tree(1 + random.nextInt(3)));
    }
    CheckAndMutateRowRequest built =
        request
            .addTrueMutations(mutation())
            .addFalseMutations(mutation())
            .addFalseMutations(mutation())
            .build();
    return asked(
        built.toString(),
        server -> String.valueOf(server.checkAndMutateRow(built).getPredicateMatched()));
  }

  private Request modify() {
    ReadModifyWriteRowRequest.Builder request =
        ReadModifyWriteRowRequest.newBuilder()
            .setTableName(TABLE)
            .setRowKey(utf8("m" + random.nextInt(3)));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      ReadModifyWriteRule.Builder rule = ReadModifyWriteRule.newBuilder();
      if (random.nextBoolean()) {
        rule.setFamilyName("a").setColumnQualifier(utf8("t")).setAppendValue(filters.value());
      } else {
        rule.setFamilyName("b")
            .setColumnQualifier(utf8("n"))
            .setIncrementAmount(random.nextInt(100) - 50);
      }
      request.addRules(rule);
    }
    ReadModifyWriteRowRequest built = request.build();
    return asked(built.toString(), server -> server.readModifyWriteRow(built).getRow().toString());
  }

  private Request read() {
    ReadRowsRequest.Builder request = query();
    if (random.nextBoolean()) {
      request.setRows(rows());
    }
    if (random.nextInt(4) > 0) {
      request.setFilter(filters.tree(1 + random.nextInt(4)));
    }
    if (random.nextInt(3) == 0) {
      request.setRowsLimit(1 + random.nextInt(4));
    }
    request.setReversed(random.nextInt(4) == 0);
    return read(request.build());
  }

  static Request read(ReadRowsRequest request) {
    return asked(
        request.toString(),
        server -> {
          RowAssembler rows = new RowAssembler(request.getReversed());
          server.readRows(request).forEachRemaining(rows::add);
          return String.join("\n", CellTexts.of(rows.finish()));
        });
  }

  static Request read(RowFilter filter) {
    return read(query().setFilter(filter).build());
  }

  private RowSet rows() {
    RowSet.Builder rows = RowSet.newBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      rows.addRowKeys(utf8(row()));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      int from = random.nextInt(8);
      int to = from + 1 + random.nextInt(4);
      RowRange.Builder range = RowRange.newBuilder();
      switch (random.nextInt(3)) {
        case 0 -> range.setStartKeyClosed(utf8("row" + from));
        case 1 -> range.setStartKeyOpen(utf8("row" + from));
        default -> {}
      }
      switch (random.nextInt(3)) {
        case 0 -> range.setEndKeyClosed(utf8("row" + to));
        case 1 -> range.setEndKeyOpen(utf8("row" + to));
        default -> {}
      }
      rows.addRowRanges(range);
    }
    return rows.build();
  }

  private static Request asked(String text, Request request) {
    return new Request() {
      @Override
      public String ask(BigtableBlockingStub server) {
        return request.ask(server);
      }

      @Override
      public String toString() {
        return text;
      }
    };
  }
}
