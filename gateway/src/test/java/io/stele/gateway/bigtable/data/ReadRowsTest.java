package io.stele.gateway.bigtable.data;

import static io.stele.gateway.bigtable.data.DataFixture.TABLE;
import static io.stele.gateway.bigtable.data.DataFixture.query;
import static io.stele.gateway.bigtable.data.DataFixture.set;
import static io.stele.gateway.bigtable.data.DataFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.bigtable.v2.BigtableGrpc;
import com.google.bigtable.v2.FeatureFlags;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.ReadIterationStats;
import com.google.bigtable.v2.ReadRowsRequest;
import com.google.bigtable.v2.ReadRowsResponse;
import com.google.bigtable.v2.RowFilter;
import com.google.bigtable.v2.RowRange;
import com.google.bigtable.v2.RowSet;
import com.google.bigtable.v2.SampleRowKeysRequest;
import com.google.bigtable.v2.SampleRowKeysResponse;
import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import io.stele.base.bytes.Bytes;
import io.stele.gateway.bigtable.call.ClientFeatures;
import io.stele.gateway.bigtable.data.RowAssembler.ReadCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of rows: sets, limits, both directions, long rows, slow clients. */
class ReadRowsTest {
  private final DataFixture fixture = new DataFixture("a", "b");

  @AfterEach
  void close() {
    fixture.close();
  }

  private void fill(int rows) {
    for (int i = 0; i < rows; i++) {
      fixture.mutate(key(i), set("a", "x", 1000, "v" + i));
    }
  }

  private static String key(int i) {
    return "r%03d".formatted(i);
  }

  private List<String> keys(ReadRowsRequest.Builder request) {
    return fixture.read(request).stream().map(cell -> cell.row().toStringUtf8()).toList();
  }

  private List<String> keys(RowSet.Builder rows) {
    return keys(query().setRows(rows));
  }

  @Test
  void setsOfRows() {
    fill(10);
    assertThat(keys(RowSet.newBuilder())).hasSize(10);
    assertThat(
            keys(
                RowSet.newBuilder()
                    .addRowKeys(utf8("r005"))
                    .addRowKeys(utf8("r001"))
                    .addRowKeys(utf8("r005"))
                    .addRowKeys(utf8("none"))))
        .containsExactly("r001", "r005");
    assertThat(
            keys(
                RowSet.newBuilder()
                    .addRowKeys(utf8("r009"))
                    .addRowRanges(
                        RowRange.newBuilder()
                            .setStartKeyOpen(utf8("r002"))
                            .setEndKeyClosed(utf8("r004")))
                    .addRowRanges(
                        RowRange.newBuilder()
                            .setStartKeyClosed(utf8("r003"))
                            .setEndKeyOpen(utf8("r006")))))
        .containsExactly("r003", "r004", "r005", "r009");
    assertThat(
            keys(
                RowSet.newBuilder()
                    .addRowRanges(RowRange.newBuilder().setStartKeyOpen(utf8("r007")))))
        .containsExactly("r008", "r009");
    assertThat(
            keys(
                RowSet.newBuilder()
                    .addRowRanges(
                        RowRange.newBuilder()
                            .setStartKeyClosed(utf8("r008"))
                            .setEndKeyOpen(ByteString.EMPTY))))
        .containsExactly("r008", "r009");
    assertThat(
            keys(
                RowSet.newBuilder()
                    .addRowRanges(
                        RowRange.newBuilder()
                            .setStartKeyOpen(utf8("r008"))
                            .setEndKeyOpen(utf8("r008")))))
        .isEmpty();
    assertThatThrownBy(
            () ->
                keys(
                    RowSet.newBuilder()
                        .addRowRanges(
                            RowRange.newBuilder()
                                .setStartKeyClosed(utf8("r2"))
                                .setEndKeyOpen(utf8("r1")))))
        .satisfies(
            e ->
                assertThat(Status.fromThrowable(e).getCode())
                    .isEqualTo(Status.Code.INVALID_ARGUMENT));
  }

  @Test
  void limitsInBothDirections() {
    fill(20);
    fixture.tables.split("t", Bytes.utf8("r010"), Bytes.utf8("r010"));
    assertThat(keys(query().setRowsLimit(3))).containsExactly("r000", "r001", "r002");
    assertThat(keys(query().setRowsLimit(3).setReversed(true)))
        .containsExactly("r019", "r018", "r017");
    List<String> all = new ArrayList<>(keys(query()));
    assertThat(keys(query().setReversed(true))).isEqualTo(all.reversed());
    assertThat(
            keys(
                query()
                    .setReversed(true)
                    .setRows(
                        RowSet.newBuilder()
                            .addRowKeys(utf8("r001"))
                            .addRowRanges(
                                RowRange.newBuilder()
                                    .setStartKeyClosed(utf8("r009"))
                                    .setEndKeyClosed(utf8("r012"))))))
        .containsExactly("r012", "r011", "r010", "r009", "r001");
  }

  @Test
  void onlyAClientThatKnowsOfItReadsBackwards() {
    assertThatThrownBy(
            () ->
                BigtableGrpc.newBlockingStub(fixture.channel)
                    .readRows(query().setReversed(true).build())
                    .forEachRemaining(_ -> {}))
        .satisfies(
            e -> assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.UNIMPLEMENTED))
        .hasMessageContaining("reverse_scans");
  }

  @Test
  void rowsAndValuesOfAnyLength() {
    ByteString megabyte = ByteString.copyFrom(new byte[1 << 20]);
    ByteString huge = megabyte.concat(megabyte).concat(megabyte).concat(utf8("end"));
    fixture.mutate("r1", set("a", "x", 1000, huge), set("b", "x", 1000, "v"));
    Mutation[] many = new Mutation[3_000];
    for (int i = 0; i < many.length; i++) {
      many[i] = set("a", "%05d".formatted(i), 1000, ByteString.copyFrom(new byte[1000]));
    }
    fixture.mutate("r2", many);
    fixture.mutate("r3", set("a", "x", 1000, "v"));
    for (boolean reversed : new boolean[] {false, true}) {
      List<ReadCell> cells = fixture.read(query().setReversed(reversed));
      assertThat(cells).hasSize(3_003);
      assertThat(cells.stream().filter(cell -> cell.value().equals(huge))).hasSize(1);
      assertThat(cells.stream().map(cell -> cell.row().toStringUtf8()).distinct().toList())
          .isEqualTo(reversed ? List.of("r3", "r2", "r1") : List.of("r1", "r2", "r3"));
    }
    assertThat(
            fixture.read(
                query()
                    .setRows(RowSet.newBuilder().addRowKeys(utf8("r2")))
                    .setFilter(RowFilter.newBuilder().setCellsPerRowOffsetFilter(2_990))))
        .hasSize(10);
  }

  @Test
  void statisticsComeLast() {
    fill(5);
    fixture.mutate(key(2), set("a", "y", 1000, "w"));
    List<ReadRowsResponse> responses = new ArrayList<>();
    fixture
        .stub
        .readRows(
            query()
                .setRequestStatsView(ReadRowsRequest.RequestStatsView.REQUEST_STATS_FULL)
                .setFilter(RowFilter.newBuilder().setValueRegexFilter(utf8("v[2-4]")))
                .build())
        .forEachRemaining(responses::add);
    ReadIterationStats stats =
        responses.getLast().getRequestStats().getFullReadStatsView().getReadIterationStats();
    assertThat(stats.getRowsSeenCount()).isEqualTo(5);
    assertThat(stats.getRowsReturnedCount()).isEqualTo(3);
    assertThat(stats.getCellsSeenCount()).isEqualTo(6);
    assertThat(stats.getCellsReturnedCount()).isEqualTo(3);
    assertThat(responses.subList(0, responses.size() - 1))
        .noneMatch(ReadRowsResponse::hasRequestStats);
  }

  private static Metadata features(FeatureFlags flags, boolean urlSafe) {
    Base64.Encoder encoder = urlSafe ? Base64.getUrlEncoder() : Base64.getEncoder();
    Metadata headers = new Metadata();
    headers.put(ClientFeatures.HEADER, encoder.encodeToString(flags.toByteArray()));
    return headers;
  }

  @Test
  void aClientThatUnderstandsIsToldHowFarAReadHasCome() {
    ByteString value = ByteString.copyFrom(new byte[20_000]);
    for (int i = 0; i < 50; i++) {
      fixture.mutate(key(i), set("a", "x", 1000, value));
    }
    ReadRowsRequest nothing =
        query().setFilter(RowFilter.newBuilder().setValueRegexFilter(utf8("x"))).build();
    List<ReadRowsResponse> silent = new ArrayList<>();
    fixture.stub.readRows(nothing).forEachRemaining(silent::add);
    assertThat(silent).isEmpty();
    for (boolean urlSafe : new boolean[] {false, true}) {
      RowAssembler rows = new RowAssembler(false);
      AtomicInteger told = new AtomicInteger();
      BigtableGrpc.newBlockingStub(fixture.channel)
          .withInterceptors(
              MetadataUtils.newAttachHeadersInterceptor(
                  features(
                      FeatureFlags.newBuilder()
                          .setLastScannedRowResponses(true)
                          .setReverseScans(true)
                          .build(),
                      urlSafe)))
          .readRows(nothing)
          .forEachRemaining(
              response -> {
                rows.add(response); // which checks their order
                assertThat(response.getLastScannedRowKey()).isNotEmpty();
                told.incrementAndGet();
              });
      assertThat(told.get()).isPositive();
      assertThat(rows.finish()).isEmpty();
    }
  }

  @Test
  void headersThatSayNothingAreRefused() {
    Metadata headers = new Metadata();
    headers.put(ClientFeatures.HEADER, "!");
    assertThatThrownBy(
            () ->
                BigtableGrpc.newBlockingStub(fixture.channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                    .readRows(query().build())
                    .forEachRemaining(_ -> {}))
        .hasMessageContaining("bigtable-features");
  }

  /** Takes messages only when asked to. */
  private static final class SlowReader
      implements ClientResponseObserver<ReadRowsRequest, ReadRowsResponse> {
    final RowAssembler rows = new RowAssembler(false);
    final CompletableFuture<Integer> end = new CompletableFuture<>();
    final AtomicInteger messages = new AtomicInteger();
    ClientCallStreamObserver<ReadRowsRequest> call;

    @Override
    public void beforeStart(ClientCallStreamObserver<ReadRowsRequest> stream) {
      call = stream;
      call.disableAutoRequestWithInitial(0);
    }

    @Override
    public void onNext(ReadRowsResponse response) {
      rows.add(response);
      messages.incrementAndGet();
    }

    @Override
    public void onError(Throwable problem) {
      end.completeExceptionally(problem);
    }

    @Override
    public void onCompleted() {
      end.complete(rows.rows());
    }
  }

  @Test
  void aSlowClientIsWaitedForAndOneThatLeavesIsNot() {
    ByteString value = ByteString.copyFrom(new byte[100_000]);
    for (int i = 0; i < 100; i++) {
      fixture.mutate(key(i), set("a", "x", 1000, value));
    }
    SlowReader slow = new SlowReader();
    BigtableGrpc.newStub(fixture.channel).readRows(query().build(), slow);
    SlowReader leaving = new SlowReader();
    BigtableGrpc.newStub(fixture.channel).readRows(query().build(), leaving);
    leaving.call.request(1);
    await().atMost(Duration.ofSeconds(20)).until(() -> leaving.messages.get() == 1);
    leaving.call.cancel("enough", null);
    slow.call.request(1_000);
    assertThat(slow.end.orTimeout(20, java.util.concurrent.TimeUnit.SECONDS).join()).isEqualTo(100);
  }

  @Test
  void samplesPartTheTable() {
    fill(10);
    fixture.tables.split("t", Bytes.utf8("r003"), Bytes.utf8("r003"));
    List<SampleRowKeysResponse> samples = new ArrayList<>();
    fixture
        .stub
        .sampleRowKeys(SampleRowKeysRequest.newBuilder().setTableName(TABLE).build())
        .forEachRemaining(samples::add);
    assertThat(samples.stream().map(sample -> sample.getRowKey().toStringUtf8()))
        .containsExactly("r003", "");
    samples.clear();
    fixture
        .stub
        .sampleRowKeys(
            SampleRowKeysRequest.newBuilder()
                .setTableName(TABLE)
                .setRowRange(
                    RowRange.newBuilder()
                        .setStartKeyClosed(utf8("r001"))
                        .setEndKeyOpen(utf8("r005")))
                .build())
        .forEachRemaining(samples::add);
    assertThat(samples.stream().map(sample -> sample.getRowKey().toStringUtf8()))
        .containsExactly("r003", "r005");
  }
}
