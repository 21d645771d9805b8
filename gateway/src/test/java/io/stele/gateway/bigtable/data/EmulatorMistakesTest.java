package io.stele.gateway.bigtable.data;

import static io.stele.gateway.bigtable.data.DataFixture.TABLE;
import static io.stele.gateway.bigtable.data.DataFixture.mutation;
import static io.stele.gateway.bigtable.data.DataFixture.query;
import static io.stele.gateway.bigtable.data.DataFixture.set;
import static io.stele.gateway.bigtable.data.DataFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.bigtable.v2.BigtableGrpc.BigtableBlockingStub;
import com.google.bigtable.v2.CheckAndMutateRowRequest;
import com.google.bigtable.v2.MutateRowsRequest;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.ReadModifyWriteRowRequest;
import com.google.bigtable.v2.ReadModifyWriteRule;
import com.google.bigtable.v2.ReadRowsRequest;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.RowSet;
import com.google.bigtable.v2.ValueBitmask;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.gateway.bigtable.data.RandomRequests.Request;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Where Google's emulator does not do what the API's description says, and this service does. Each
 * test also sees the emulator fail, so that whatever it learns leaves this list.
 */
class EmulatorMistakesTest {
  private static final String REFUSED = "INVALID_ARGUMENT";

  private static Emulator emulator;
  private static DataFixture fixture;

  @BeforeAll
  static void start() {
    emulator = Emulator.start("a", "b", "c");
    fixture = new DataFixture("a", "b", "c");
  }

  @AfterAll
  static void stop() {
    if (emulator != null) {
      emulator.close();
      fixture.close();
    }
  }

  @BeforeEach
  void fill() {
    Mutation erased =
        Mutation.newBuilder().setDeleteFromRow(Mutation.DeleteFromRow.getDefaultInstance()).build();
    for (BigtableBlockingStub server : new BigtableBlockingStub[] {fixture.stub, emulator.stub}) {
      server.mutateRow(
          mutation(
              "r",
              erased,
              set("a", "x", 1000, "p"),
              set("b", "x", 1000, "q"),
              set("c", "x", 1000, "pq")));
      server.mutateRow(mutation("s", erased));
    }
  }

  private static String answer(Request request, BigtableBlockingStub server) {
    try {
      return request.ask(server);
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode().toString();
    }
  }

  /** This service's answer is right, the emulator's is another. */
  private static void onlyHere(Request request, String right) {
    assertThat(answer(request, fixture.stub)).isEqualTo(right);
    assertThat(answer(request, emulator.stub)).as("the emulator's answer").isNotEqualTo(right);
  }

  private static Request read(RowFilter.Builder filter) {
    return RandomRequests.read(filter.build());
  }

  private static Request read(ReadRowsRequest.Builder request) {
    return RandomRequests.read(request.build());
  }

  private static RowFilter.Builder filter() {
    return RowFilter.newBuilder();
  }

  private static RowFilter.Builder chain(RowFilter.Builder... parts) {
    RowFilter.Chain.Builder chain = RowFilter.Chain.newBuilder();
    for (RowFilter.Builder part : parts) {
      chain.addFilters(part);
    }
    return filter().setChain(chain);
  }

  private static RowFilter.Builder pass() {
    return filter().setPassAllFilter(true);
  }

  @Test
  void sinkPassesAllThatWouldFollow() {
    RowFilter.Interleave.Builder both =
        RowFilter.Interleave.newBuilder()
            .addFilters(pass())
            .addFilters(chain(filter().setApplyLabelTransformer("l"), filter().setSink(true)));
    onlyHere(
        read(chain(filter().setInterleave(both), filter().setFamilyNameRegexFilter("a"))),
        "r/a:x@1000=p[]\nr/a:x@1000=p[l]\nr/b:x@1000=q[l]\nr/c:x@1000=pq[l]");
  }

  @Test
  void bitmasksCount() {
    ValueBitmask.Builder mask = ValueBitmask.newBuilder().setMask(utf8("q"));
    onlyHere(read(filter().setValueBitmaskFilter(mask)), "r/b:x@1000=q[]");
  }

  @Test
  void aStrippedCellKeepsItsLabel() {
    onlyHere(
        read(
            chain(
                filter().setFamilyNameRegexFilter("a"),
                filter().setApplyLabelTransformer("l"),
                filter().setStripValueTransformer(true))),
        "r/a:x@1000=[l]");
  }

  /** It counts families in an order of chance, so only many answers are surely wrong. */
  @Test
  void cellsOfARowAreCountedInTheirOrder() {
    Request limit = read(filter().setCellsPerRowLimitFilter(1));
    Request offset = read(filter().setCellsPerRowOffsetFilter(2));
    boolean otherLimit = false;
    boolean otherOffset = false;
    for (int i = 0; i < 60; i++) {
      assertThat(answer(limit, fixture.stub)).isEqualTo("r/a:x@1000=p[]");
      assertThat(answer(offset, fixture.stub)).isEqualTo("r/c:x@1000=pq[]");
      otherLimit |= !answer(limit, emulator.stub).equals("r/a:x@1000=p[]");
      otherOffset |= !answer(offset, emulator.stub).equals("r/c:x@1000=pq[]");
    }
    assertThat(otherLimit).isTrue();
    assertThat(otherOffset).isTrue();
  }

  @Test
  void aFilterIsCheckedBeforeItIsUsed() {
    onlyHere(
        read(
            query()
                .setRows(RowSet.newBuilder().addRowKeys(utf8("none")))
                .setFilter(filter().setValueRegexFilter(utf8("[")))),
        REFUSED);
    onlyHere(read(filter().setFamilyNameRegexFilter("a:b")), REFUSED);
    onlyHere(read(filter().setStripValueTransformer(false)), REFUSED);
    RowFilter.Builder label = filter().setApplyLabelTransformer("l");
    onlyHere(read(chain(label, label)), REFUSED);
    onlyHere(read(filter().setApplyLabelTransformer("a-much-too-long-one")), REFUSED);
    RowFilter.Builder deep = pass();
    for (int i = 0; i < 20; i++) {
      deep = chain(pass(), deep);
    }
    onlyHere(read(deep), REFUSED);
  }

  @Test
  void aReadIsCheckedBeforeItIsDone() {
    onlyHere(read(query().setRowsLimit(-1)), REFUSED);
    onlyHere(read(query().setRows(RowSet.newBuilder().addRowKeys(utf8("")))), REFUSED);
  }

  @Test
  void aRowChangesAsAWholeOrNotAtAll() {
    Request half =
        server -> {
          try {
            server.mutateRow(mutation("s", set("a", "x", 1000, "v"), set("nope", "x", 0, "v")));
          } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isNotEqualTo(Status.Code.OK);
          }
          return read(query().setRows(RowSet.newBuilder().addRowKeys(utf8("s")))).ask(server);
        };
    onlyHere(half, "");
  }

  private static Request mutate(Mutation mutation) {
    return server -> server.mutateRow(mutation("r", mutation)).toString();
  }

  @Test
  void mistakesHaveCodes() {
    onlyHere(mutate(set("nope", "x", 1000, "v")), "NOT_FOUND");
    onlyHere(mutate(set("a", "x", 1001, "v")), REFUSED);
    onlyHere(
        mutate(
            Mutation.newBuilder()
                .setDeleteFromFamily(Mutation.DeleteFromFamily.newBuilder().setFamilyName("nope"))
                .build()),
        "NOT_FOUND");
    onlyHere(modify(ReadModifyWriteRule.newBuilder().setFamilyName("nope")), "NOT_FOUND");
    onlyHere(
        modify(ReadModifyWriteRule.newBuilder().setFamilyName("a").setColumnQualifier(utf8("x"))),
        REFUSED);
    onlyHere(
        server ->
            ""
                + server
                    .mutateRows(
                        MutateRowsRequest.newBuilder()
                            .setTableName(TABLE)
                            .addEntries(
                                MutateRowsRequest.Entry.newBuilder()
                                    .setRowKey(utf8("r"))
                                    .addMutations(set("nope", "x", 0, "v")))
                            .build())
                    .next()
                    .getEntries(0)
                    .getStatus()
                    .getCode(),
        "5");
  }

  private static Request modify(ReadModifyWriteRule.Builder rule) {
    return server ->
        server
            .readModifyWriteRow(
                ReadModifyWriteRowRequest.newBuilder()
                    .setTableName(TABLE)
                    .setRowKey(utf8("r"))
                    .addRules(rule.setIncrementAmount(1))
                    .build())
            .toString();
  }

  @Test
  void aChangeThatChangesNothingIsRefused() {
    onlyHere(
        server ->
            server
                .checkAndMutateRow(
                    CheckAndMutateRowRequest.newBuilder()
                        .setTableName(TABLE)
                        .setRowKey(utf8("r"))
                        .build())
                .toString(),
        REFUSED);
    onlyHere(
        server ->
            server
                .readModifyWriteRow(
                    ReadModifyWriteRowRequest.newBuilder()
                        .setTableName(TABLE)
                        .setRowKey(utf8("r"))
                        .build())
                .toString(),
        REFUSED);
  }

  @Test
  void rowKeysHaveALongest() {
    onlyHere(
        server -> server.mutateRow(mutation("k".repeat(4097), set("a", "x", 0, "v"))).toString(),
        REFUSED);
    emulator.stub.mutateRow(
        mutation(
            "k".repeat(4097),
            Mutation.newBuilder()
                .setDeleteFromRow(Mutation.DeleteFromRow.getDefaultInstance())
                .build()));
  }
}
