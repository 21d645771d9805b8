package io.stele.gateway.bigtable.data;

import static io.stele.gateway.bigtable.data.DataFixture.TABLE;
import static io.stele.gateway.bigtable.data.DataFixture.query;
import static io.stele.gateway.bigtable.data.DataFixture.set;
import static io.stele.gateway.bigtable.data.DataFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.bigtable.v2.CheckAndMutateRowRequest;
import com.google.bigtable.v2.Idempotency;
import com.google.bigtable.v2.MutateRowRequest;
import com.google.bigtable.v2.MutateRowsRequest;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.Value;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.stele.gateway.bigtable.write.Aggregate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Families that add up what is written to them. */
class AggregatesTest {
  private final DataFixture fixture =
      new DataFixture(
          (_, family) ->
              switch (family) {
                case "sum" -> Optional.of(Aggregate.SUM);
                case "min" -> Optional.of(Aggregate.MIN);
                case "max" -> Optional.of(Aggregate.MAX);
                default -> Optional.empty();
              },
          "sum",
          "min",
          "max",
          "plain");

  @AfterEach
  void close() {
    fixture.close();
  }

  private static Value raw(String qualifier) {
    return Value.newBuilder().setRawValue(utf8(qualifier)).build();
  }

  private static Value time(long micros) {
    return Value.newBuilder().setRawTimestampMicros(micros).build();
  }

  private static Mutation add(String family, String qualifier, long timestamp, long amount) {
    return Mutation.newBuilder()
        .setAddToCell(
            Mutation.AddToCell.newBuilder()
                .setFamilyName(family)
                .setColumnQualifier(raw(qualifier))
                .setTimestamp(time(timestamp))
                .setInput(Value.newBuilder().setIntValue(amount)))
        .build();
  }

  private static Mutation merge(String family, String qualifier, long timestamp, Value state) {
    return Mutation.newBuilder()
        .setMergeToCell(
            Mutation.MergeToCell.newBuilder()
                .setFamilyName(family)
                .setColumnQualifier(raw(qualifier))
                .setTimestamp(time(timestamp))
                .setInput(state))
        .build();
  }

  private static Value state(long number) {
    return Value.newBuilder()
        .setRawValue(ByteString.copyFrom(ByteBuffer.allocate(8).putLong(0, number)))
        .build();
  }

  private List<String> numbers() {
    return fixture.read(query()).stream()
        .map(
            cell ->
                cell.family()
                    + ":"
                    + cell.qualifier().toStringUtf8()
                    + "@"
                    + cell.timestamp()
                    + "="
                    + cell.value().asReadOnlyByteBuffer().getLong())
        .toList();
  }

  @Test
  void eachFamilyAddsUpItsOwnWay() {
    for (long amount : new long[] {5, -3, 9}) {
      fixture.mutate(
          "r",
          add("sum", "n", 0, amount),
          add("min", "n", 0, amount),
          add("max", "n", 0, amount),
          add("sum", "n", 1000, 1));
    }
    assertThat(numbers()).containsExactly("max:n@0=9", "min:n@0=-3", "sum:n@1000=3", "sum:n@0=11");
  }

  @Test
  void statesAreMergedAndErasedInTheirOrder() {
    fixture.mutate("r", add("sum", "n", 0, 5), add("sum", "n", 0, 6));
    fixture.mutate("r", merge("sum", "n", 0, state(100)));
    fixture.mutate("r", merge("sum", "n", 0, Value.getDefaultInstance()), add("max", "n", 0, 1));
    assertThat(numbers()).containsExactly("max:n@0=1", "sum:n@0=111");
    fixture.mutate(
        "r",
        add("sum", "n", 0, 1),
        Mutation.newBuilder()
            .setDeleteFromFamily(Mutation.DeleteFromFamily.newBuilder().setFamilyName("sum"))
            .build(),
        add("sum", "n", 0, 2));
    assertThat(numbers()).containsExactly("max:n@0=1", "sum:n@0=2");
  }

  @Test
  void whatHasATokenCountsOnceHoweverOftenItIsSent() {
    Idempotency token = Idempotency.newBuilder().setToken(utf8("request 1")).build();
    MutateRowRequest request =
        MutateRowRequest.newBuilder()
            .setTableName(DataFixture.TABLE)
            .setRowKey(utf8("r"))
            .addMutations(add("sum", "n", 0, 5))
            .setIdempotency(token)
            .build();
    for (int i = 0; i < 3; i++) {
      fixture.stub.mutateRow(request);
    }
    assertThat(numbers()).containsExactly("sum:n@0=5");
    Idempotency longer = Idempotency.newBuilder().setToken(utf8("x".repeat(100))).build();
    MutateRowsRequest rows =
        MutateRowsRequest.newBuilder()
            .setTableName(DataFixture.TABLE)
            .addEntries(
                MutateRowsRequest.Entry.newBuilder()
                    .setRowKey(utf8("r"))
                    .addMutations(add("sum", "n", 0, 2))
                    .setIdempotency(longer))
            .build();
    for (int i = 0; i < 3; i++) {
      fixture.stub.mutateRows(rows).forEachRemaining(_ -> {});
    }
    assertThat(numbers()).containsExactly("sum:n@0=7");
  }

  @Test
  void manyAtOnceLoseNothing() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int caller = 0; caller < 8; caller++) {
        all.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    fixture.mutate("r", add("sum", "n", 0, 1));
                  }
                },
                threads));
      }
      all.forEach(CompletableFuture::join);
    }
    assertThat(numbers()).containsExactly("sum:n@0=160");
  }

  @Test
  void theyMayStandInEveryChange() {
    fixture
        .stub
        .mutateRows(
            MutateRowsRequest.newBuilder()
                .setTableName(TABLE)
                .addEntries(
                    MutateRowsRequest.Entry.newBuilder()
                        .setRowKey(utf8("r"))
                        .addMutations(add("sum", "n", 0, 1)))
                .addEntries(
                    MutateRowsRequest.Entry.newBuilder()
                        .setRowKey(utf8("r"))
                        .addMutations(add("sum", "n", 0, 2)))
                .build())
        .forEachRemaining(
            response ->
                assertThat(response.getEntriesList())
                    .allMatch(entry -> entry.getStatus().getCode() == 0));
    fixture.stub.checkAndMutateRow(
        CheckAndMutateRowRequest.newBuilder()
            .setTableName(TABLE)
            .setRowKey(utf8("r"))
            .addTrueMutations(add("sum", "n", 0, 40))
            .build());
    assertThat(numbers()).containsExactly("sum:n@0=43");
  }

  private void refused(Mutation mutation, String... words) {
    assertThatThrownBy(() -> fixture.mutate("r", mutation))
        .satisfies(
            e ->
                assertThat(Status.fromThrowable(e).getCode())
                    .isEqualTo(Status.Code.INVALID_ARGUMENT))
        .hasMessageContainingAll(words);
  }

  @Test
  void whatDoesNotFitIsRefused() {
    refused(set("sum", "n", 0, "v"), "SetCell", "sum");
    refused(add("plain", "n", 0, 1), "plain");
    refused(add("sum", "n", 5, 1), "5 microseconds");
    refused(merge("sum", "n", 0, raw("odd")), "3 bytes");
    refused(merge("sum", "n", 0, Value.newBuilder().setStringValue("1").build()), "STRING_VALUE");
    fixture.mutate("r", add("sum", "n", 0, Long.MAX_VALUE));
    refused(add("sum", "n", 0, 1), "64 bits");
    assertThat(numbers()).containsExactly("sum:n@0=" + Long.MAX_VALUE);
  }
}
