package io.stele.gateway.bigtable.data;

import static io.stele.gateway.bigtable.data.DataFixture.TABLE;
import static io.stele.gateway.bigtable.data.DataFixture.mutation;
import static io.stele.gateway.bigtable.data.DataFixture.query;
import static io.stele.gateway.bigtable.data.DataFixture.set;
import static io.stele.gateway.bigtable.data.DataFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.bigtable.v2.BigtableGrpc.BigtableBlockingStub;
import com.google.bigtable.v2.CheckAndMutateRowRequest;
import com.google.bigtable.v2.MutateRowsRequest;
import com.google.bigtable.v2.MutateRowsResponse;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.PingAndWarmRequest;
import com.google.bigtable.v2.ReadModifyWriteRowRequest;
import com.google.bigtable.v2.ReadModifyWriteRule;
import com.google.bigtable.v2.Row;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.TimestampRange;
import com.google.protobuf.ByteString;
import com.google.rpc.Code;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of rows, and the errors that they end with. */
class DataServiceTest {
  private final DataFixture fixture = new DataFixture("a", "b");

  @AfterEach
  void close() {
    fixture.close();
  }

  private static void fails(Status.Code code, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .satisfies(e -> assertThat(Status.fromThrowable(e).getCode()).isEqualTo(code))
        .hasMessageContainingAll(words);
  }

  private static Mutation deleteColumn(String family, String qualifier, long from, long to) {
    return Mutation.newBuilder()
        .setDeleteFromColumn(
            Mutation.DeleteFromColumn.newBuilder()
                .setFamilyName(family)
                .setColumnQualifier(utf8(qualifier))
                .setTimeRange(
                    TimestampRange.newBuilder()
                        .setStartTimestampMicros(from)
                        .setEndTimestampMicros(to)))
        .build();
  }

  private static Mutation deleteFamily(String family) {
    return Mutation.newBuilder()
        .setDeleteFromFamily(Mutation.DeleteFromFamily.newBuilder().setFamilyName(family))
        .build();
  }

  private static Mutation deleteRow() {
    return Mutation.newBuilder()
        .setDeleteFromRow(Mutation.DeleteFromRow.getDefaultInstance())
        .build();
  }

  // ---- mutations

  @Test
  void whatIsWrittenIsRead() {
    fixture.mutate("r1", set("a", "x", 1000, "one"), set("b", "y", 2000, "two"));
    fixture.mutate("r2", set("a", "x", -1, "three"));
    assertThat(fixture.texts(query()))
        .containsExactly(
            "r1/a:x@1000=one[]", "r1/b:y@2000=two[]", "r2/a:x@1700000000000000=three[]");
  }

  @Test
  void mutationsCountInTheirOrder() {
    fixture.mutate("r", set("a", "x", 1000, "old"), set("a", "y", 1000, "old"));
    fixture.mutate(
        "r",
        set("a", "x", 2000, "lost"),
        deleteFamily("a"),
        set("a", "x", 1000, "new"),
        set("a", "x", 1000, "newer"));
    assertThat(fixture.texts(query())).containsExactly("r/a:x@1000=newer[]");
  }

  @Test
  void anErasureNeverHidesWhatIsWrittenLater() {
    fixture.mutate("r", set("a", "x", 5000, "before"));
    fixture.mutate("r", deleteRow());
    fixture.mutate("r", set("a", "x", 1000, "after"));
    assertThat(fixture.texts(query())).containsExactly("r/a:x@1000=after[]");
    fixture.mutate("r", deleteColumn("a", "x", 0, 0), set("b", "x", 1000, "b"));
    fixture.mutate("r", set("a", "x", 500_000, "again"));
    assertThat(fixture.texts(query())).containsExactly("r/a:x@500000=again[]", "r/b:x@1000=b[]");
  }

  @Test
  void aColumnIsErasedForATimeOnly() {
    for (long time = 1; time <= 5; time++) {
      fixture.mutate("r", set("a", "x", time * 1000, "v" + time));
    }
    fixture.mutate("r", deleteColumn("a", "x", 2000, 4000));
    assertThat(fixture.texts(query()))
        .containsExactly("r/a:x@5000=v5[]", "r/a:x@4000=v4[]", "r/a:x@1000=v1[]");
    fixture.mutate("r", deleteColumn("a", "x", 4000, 0));
    assertThat(fixture.texts(query())).containsExactly("r/a:x@1000=v1[]");
  }

  @Test
  void timesAreWholeMilliseconds() {
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.mutate("r", set("a", "x", 1500, "v")),
        "1500",
        "milliseconds");
    fails(Status.Code.INVALID_ARGUMENT, () -> fixture.mutate("r", set("a", "x", -2, "v")), "-2");
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.mutate("r", deleteColumn("a", "x", 10, 2000)),
        "10");
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.mutate("r", deleteColumn("a", "x", 3000, 2000)),
        "3000");
    fixture.micros.set(1_234_567);
    fixture.mutate("r", set("a", "x", -1, "now"));
    fixture.mutate(
        "r",
        set("a", "y", 7_654_321, "client's").toBuilder()
            .setTimestampOrigin(Mutation.TimestampOrigin.CLIENT_AUTO_GENERATED)
            .build());
    assertThat(fixture.texts(query()))
        .containsExactly("r/a:x@1234000=now[]", "r/a:y@7654000=client's[]");
  }

  @Test
  void aRowWithAMistakeIsLeftAsItWas() {
    fixture.mutate("r", set("a", "x", 1000, "v"));
    fails(
        Status.Code.NOT_FOUND,
        () -> fixture.mutate("r", set("a", "x", 2000, "w"), set("nope", "x", 1000, "v")),
        "nope");
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.mutate("r", deleteRow(), Mutation.getDefaultInstance()),
        "says nothing");
    assertThat(fixture.texts(query())).containsExactly("r/a:x@1000=v[]");
  }

  @Test
  void requestsHaveTheServicesLimits() {
    fails(Status.Code.INVALID_ARGUMENT, () -> fixture.mutate("r"), "0 mutations");
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.mutate("", set("a", "x", 1000, "v")),
        "row key of 0 bytes");
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.mutate("k".repeat(4097), set("a", "x", 1000, "v")),
        "4097");
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.mutate("r", set("a", "q".repeat((16 << 10) + 1), 1000, "v")),
        "16385");
    Mutation[] many = new Mutation[100_001];
    java.util.Arrays.fill(many, deleteRow());
    fails(Status.Code.INVALID_ARGUMENT, () -> fixture.mutate("r", many), "100001", "100000");
    fails(
        Status.Code.INVALID_ARGUMENT, () -> fixture.texts(query().setRowsLimit(-1)), "rows_limit");
  }

  @Test
  void tablesAreKnownByTheirNamesAlone() {
    fixture.mutate("r", set("a", "x", 1000, "v"));
    assertThat(fixture.texts(query().setTableName("projects/q/instances/j/tables/t"))).hasSize(1);
    fails(Status.Code.NOT_FOUND, () -> fixture.texts(query().setTableName(TABLE + "2")), "t2");
    fails(
        Status.Code.NOT_FOUND,
        () ->
            fixture.stub.mutateRow(
                mutation("r", set("a", "x", 1000, "v")).toBuilder()
                    .setTableName(DataFixture.INSTANCE + "/tables/META1")
                    .build()),
        "META1");
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> fixture.texts(query().setTableName("t")),
        "projects/{project}/instances/{instance}/tables/{table}");
    fails(
        Status.Code.UNIMPLEMENTED,
        () -> fixture.texts(query().setAuthorizedViewName(TABLE + "/authorizedViews/v")),
        "authorizedViews/v");
  }

  // ---- many rows

  private static MutateRowsRequest.Entry entry(String row, Mutation... mutations) {
    return MutateRowsRequest.Entry.newBuilder()
        .setRowKey(utf8(row))
        .addAllMutations(List.of(mutations))
        .build();
  }

  private List<MutateRowsResponse.Entry> mutateRows(List<MutateRowsRequest.Entry> entries) {
    List<MutateRowsResponse.Entry> outcomes = new ArrayList<>();
    fixture
        .stub
        .mutateRows(
            MutateRowsRequest.newBuilder().setTableName(TABLE).addAllEntries(entries).build())
        .forEachRemaining(response -> outcomes.addAll(response.getEntriesList()));
    return outcomes;
  }

  @Test
  void eachOfManyRowsHasItsOwnOutcome() {
    List<MutateRowsResponse.Entry> outcomes =
        mutateRows(
            List.of(
                entry("r1", set("a", "x", 1000, "1")),
                entry("r2", set("nope", "x", 1000, "2")),
                entry("", set("a", "x", 1000, "3")),
                entry("r4", set("a", "x", 1, "4")),
                entry("r5"),
                entry("r1", set("a", "y", 1000, "6"))));
    assertThat(outcomes.stream().map(MutateRowsResponse.Entry::getIndex))
        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
    assertThat(outcomes.stream().map(outcome -> Code.forNumber(outcome.getStatus().getCode())))
        .containsExactly(
            Code.OK,
            Code.NOT_FOUND,
            Code.INVALID_ARGUMENT,
            Code.INVALID_ARGUMENT,
            Code.INVALID_ARGUMENT,
            Code.OK);
    assertThat(outcomes.get(1).getStatus().getMessage()).contains("nope");
    assertThat(fixture.texts(query())).containsExactly("r1/a:x@1000=1[]", "r1/a:y@1000=6[]");
    fails(Status.Code.INVALID_ARGUMENT, () -> mutateRows(List.of()), "0 mutations");
    fails(
        Status.Code.NOT_FOUND,
        () ->
            fixture
                .stub
                .mutateRows(
                    MutateRowsRequest.newBuilder()
                        .setTableName(TABLE + "2")
                        .addEntries(entry("r", deleteRow()))
                        .build())
                .forEachRemaining(_ -> {}),
        "t2");
  }

  // ---- changes by what a row holds

  private boolean checkAndMutate(
      String row, RowFilter.Builder filter, List<Mutation> whenMet, List<Mutation> otherwise) {
    CheckAndMutateRowRequest.Builder request =
        CheckAndMutateRowRequest.newBuilder()
            .setTableName(TABLE)
            .setRowKey(utf8(row))
            .addAllTrueMutations(whenMet)
            .addAllFalseMutations(otherwise);
    if (filter != null) {
      request.setPredicateFilter(filter);
    }
    return fixture.stub.checkAndMutateRow(request.build()).getPredicateMatched();
  }

  @Test
  void aChangeIsChosenByWhatTheRowHolds() {
    List<Mutation> yes = List.of(set("a", "x", 1000, "yes"));
    List<Mutation> no = List.of(set("a", "x", 1000, "no"));
    assertThat(checkAndMutate("r", null, yes, no)).isFalse();
    assertThat(fixture.texts(query())).containsExactly("r/a:x@1000=no[]");
    assertThat(checkAndMutate("r", null, yes, no)).isTrue();
    assertThat(fixture.texts(query())).containsExactly("r/a:x@1000=yes[]");
    RowFilter.Builder isNo = RowFilter.newBuilder().setValueRegexFilter(utf8("no"));
    assertThat(checkAndMutate("r", isNo, yes, List.of())).isFalse();
    assertThat(checkAndMutate("r", isNo, List.of(deleteRow()), List.of(deleteFamily("a"))))
        .isFalse();
    assertThat(fixture.texts(query())).isEmpty();
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> checkAndMutate("r", null, List.of(), List.of()),
        "0 mutations");
    fails(
        Status.Code.NOT_FOUND,
        () -> checkAndMutate("r", null, List.of(), List.of(set("nope", "x", 0, "v"))),
        "nope");
  }

  private Row modify(ReadModifyWriteRule.Builder... rules) {
    return modify(fixture.stub, rules);
  }

  private static Row modify(BigtableBlockingStub server, ReadModifyWriteRule.Builder... rules) {
    ReadModifyWriteRowRequest.Builder request =
        ReadModifyWriteRowRequest.newBuilder().setTableName(TABLE).setRowKey(utf8("r"));
    for (ReadModifyWriteRule.Builder rule : rules) {
      request.addRules(rule);
    }
    return server.readModifyWriteRow(request.build()).getRow();
  }

  private static ReadModifyWriteRule.Builder rule(String family, String qualifier) {
    return ReadModifyWriteRule.newBuilder()
        .setFamilyName(family)
        .setColumnQualifier(utf8(qualifier));
  }

  private static ByteString number(long value) {
    return ByteString.copyFrom(ByteBuffer.allocate(8).putLong(0, value));
  }

  @Test
  void columnsAreAppendedAndAddedTo() {
    Row row =
        modify(
            rule("b", "n").setIncrementAmount(5),
            rule("a", "t").setAppendValue(utf8("ab")),
            rule("a", "t").setAppendValue(utf8("c")),
            rule("b", "n").setIncrementAmount(-7));
    assertThat(row.getKey()).isEqualTo(utf8("r"));
    assertThat(row.getFamiliesList().stream().map(family -> family.getName()))
        .containsExactly("a", "b");
    assertThat(row.getFamilies(0).getColumns(0).getCellsList()).hasSize(1);
    assertThat(row.getFamilies(0).getColumns(0).getCells(0).getValue()).isEqualTo(utf8("abc"));
    assertThat(row.getFamilies(1).getColumns(0).getCells(0).getValue()).isEqualTo(number(-2));
    assertThat(row.getFamilies(1).getColumns(0).getCells(0).getTimestampMicros())
        .isEqualTo(1_700_000_000_000_000L);
    modify(rule("b", "n").setIncrementAmount(Long.MAX_VALUE));
    assertThat(fixture.read(query()).getLast().value()).isEqualTo(number(Long.MAX_VALUE - 2));
    fails(
        Status.Code.INVALID_ARGUMENT,
        () -> modify(rule("a", "t").setIncrementAmount(1)),
        "3 bytes");
    fails(Status.Code.NOT_FOUND, () -> modify(rule("nope", "t").setIncrementAmount(1)), "nope");
    fails(Status.Code.INVALID_ARGUMENT, () -> modify(), "0 mutations");
    fails(Status.Code.INVALID_ARGUMENT, () -> modify(rule("a", "t")), "a:t");
  }

  @Test
  void aResultIsNeverOlderThanWhatItWasMadeFrom() {
    long future = 1_900_000_000_000_000L;
    fixture.mutate("r", set("a", "t", future, "x"));
    modify(rule("a", "t").setAppendValue(utf8("y")));
    assertThat(fixture.texts(query())).containsExactly("r/a:t@" + future + "=xy[]");
  }

  @Test
  void manyAtOnceLoseNothing() {
    int callers = 8;
    int times = 25;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        String own = "c" + caller;
        all.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < times; i++) {
                    modify(rule("a", "n").setIncrementAmount(1));
                    // Spoils reads of the row, and must not get lost either.
                    fixture.mutate("r", set("b", own, (i + 1) * 1000L, "" + i));
                  }
                },
                threads));
      }
      all.forEach(CompletableFuture::join);
    }
    assertThat(
            fixture
                .read(query().setFilter(RowFilter.newBuilder().setFamilyNameRegexFilter("a")))
                .getFirst()
                .value())
        .isEqualTo(number((long) callers * times));
    assertThat(
            fixture.read(query().setFilter(RowFilter.newBuilder().setFamilyNameRegexFilter("b"))))
        .hasSize(callers * times);
  }

  @Test
  void servicesBesideEachOtherLoseNothing() {
    BigtableBlockingStub other = fixture.another();
    int times = 100;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (BigtableBlockingStub server : List.of(fixture.stub, other)) {
        all.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < times; i++) {
                    modify(server, rule("a", "n").setIncrementAmount(1));
                  }
                },
                threads));
      }
      all.forEach(CompletableFuture::join);
    }
    assertThat(fixture.read(query()).getFirst().value()).isEqualTo(number(2L * times));
  }

  @Test
  void oneOfManyWhoTakeARowGetsIt() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Boolean>> all = new ArrayList<>();
      for (int caller = 0; caller < 16; caller++) {
        String name = "c" + caller;
        all.add(
            CompletableFuture.supplyAsync(
                () ->
                    checkAndMutate("lock", null, List.of(), List.of(set("a", "owner", 1000, name))),
                threads));
      }
      assertThat(all.stream().map(CompletableFuture::join).filter(met -> !met)).hasSize(1);
    }
  }

  @Test
  void aPingIsAnswered() {
    assertThat(
            fixture.stub.pingAndWarm(
                PingAndWarmRequest.newBuilder().setName(DataFixture.INSTANCE).build()))
        .isNotNull();
  }
}
