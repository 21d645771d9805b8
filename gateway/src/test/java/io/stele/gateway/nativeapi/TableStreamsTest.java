package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.TableSchema;
import io.stele.protocol.v1.ApplyCells;
import io.stele.protocol.v1.ApplyRows;
import io.stele.protocol.v1.CheckAndMutateRow;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.ModifyRule;
import io.stele.protocol.v1.ReadCells;
import io.stele.protocol.v1.ReadModifyWriteRow;
import io.stele.protocol.v1.ScanTableRequest;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.v1.TablePage;
import io.stele.protocol.v1.TablePredicate;
import io.stele.protocol.v1.TableTimeRange;
import io.stele.protocol.v1.ValueComparison;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireCells;
import io.stele.testkit.table.MemoryTables;
import io.stele.testkit.table.TableFixture;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The streams of tables as they go over the wire, and what may come in over it. */
@Execution(ExecutionMode.CONCURRENT)
class TableStreamsTest {
  private final MemoryTables served = new MemoryTables();
  private final Channels channels = new Channels();
  private final NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final ManagedChannel channel = channels.to(server.address());
  private final TableFixture table = new TableFixture(served, "t");

  @BeforeEach
  void serve() {
    server.serve(served, served);
    served.create("t", TableSchema.ofFamilies("f"), List.of());
  }

  @AfterEach
  void close() {
    channels.close();
    server.close();
  }

  /** A client that takes messages only as it is told. */
  private static final class Call<Q, R> extends ClientCall.Listener<R> {
    final ClientCall<Q, R> call;
    final BlockingQueue<R> messages = new LinkedBlockingQueue<>();
    final CompletableFuture<Status> closed = new CompletableFuture<>();

    Call(ManagedChannel channel, MethodDescriptor<Q, R> method) {
      call = channel.newCall(method, CallOptions.DEFAULT);
      call.start(this, new Metadata());
    }

    @Override
    public void onMessage(R message) {
      messages.add(message);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      closed.complete(status);
    }

    R next() throws InterruptedException {
      call.request(1);
      R message = messages.poll(10, TimeUnit.SECONDS);
      assertThat(message).isNotNull();
      return message;
    }
  }

  private static ExchangeRequest message(TableOperation.Builder... operations) {
    ExchangeRequest.Builder message = ExchangeRequest.newBuilder();
    for (int i = 0; i < operations.length; i++) {
      message.addOperations(operations[i].setId(i + 1L).setTable("t"));
    }
    return message.build();
  }

  private static TableOperation.Builder apply(ByteString cells) {
    return TableOperation.newBuilder().setApply(ApplyCells.newBuilder().setCells(cells));
  }

  private static TableOperation.Builder apply(Cell... cells) {
    return apply(WireCells.toWire(batch(cells)));
  }

  private static TableOperation.Builder read(int maxBytes) {
    return TableOperation.newBuilder().setRead(ReadCells.newBuilder().setMaxBytes(maxBytes));
  }

  /** The answers to one message, by id. */
  private List<TableAnswer> exchange(TableOperation.Builder... operations) throws Exception {
    Call<ExchangeRequest, ExchangeResponse> exchange =
        new Call<>(channel, TableDataGrpc.getExchangeMethod());
    exchange.call.sendMessage(message(operations));
    exchange.call.halfClose();
    exchange.call.request(1000);
    assertThat(exchange.closed.get(10, TimeUnit.SECONDS).isOk()).isTrue();
    List<TableAnswer> answers = new ArrayList<>();
    exchange.messages.forEach(message -> answers.addAll(message.getAnswersList()));
    answers.sort((a, b) -> Long.compare(a.getId(), b.getId()));
    assertThat(answers).extracting(TableAnswer::getId).doesNotHaveDuplicates();
    assertThat(answers).hasSize(operations.length);
    return answers;
  }

  private static void assertInvalid(TableAnswer answer, String message) {
    assertThat(answer.getError().getKind()).isEqualTo("INVALID_REQUEST");
    assertThat(answer.getError().getMessage()).contains(message);
  }

  @Test
  void eachOperationOfAMessageHasItsAnswer() throws Exception {
    TableOperation.Builder[] operations = new TableOperation.Builder[300];
    for (int i = 0; i < operations.length; i++) {
      operations[i] = i % 3 == 0 ? read(1000) : apply(put("r" + i, "f:x", 1, "1"));
    }
    List<TableAnswer> answers = exchange(operations);
    for (int i = 0; i < operations.length; i++) {
      assertThat(answers.get(i).hasPage()).isEqualTo(i % 3 == 0);
      assertThat(answers.get(i).hasTxn()).isEqualTo(i % 3 != 0);
    }
    assertThat(table.all()).hasSize(200);
  }

  @Test
  void answersTravelTogether() throws Exception {
    TableOperation.Builder[] operations = new TableOperation.Builder[1000];
    for (int i = 0; i < operations.length; i++) {
      operations[i] = apply(put("r" + i, "f:x", 1, "1"));
    }
    Call<ExchangeRequest, ExchangeResponse> exchange =
        new Call<>(channel, TableDataGrpc.getExchangeMethod());
    exchange.call.sendMessage(message(operations));
    exchange.call.halfClose();
    exchange.call.request(1000);
    assertThat(exchange.closed.get(10, TimeUnit.SECONDS).isOk()).isTrue();
    assertThat(exchange.messages).hasSizeLessThan(100);
    assertThat(exchange.messages)
        .extracting(ExchangeResponse::getIncarnation)
        .containsOnly(exchange.messages.peek().getIncarnation());
  }

  @Test
  void badRequestsAreToldAndChangeNothing() throws Exception {
    byte[] disordered = batch(put("a", "f:x", 1, "1"), put("b", "f:x", 1, "1")).toArray();
    for (int i = 0; i < disordered.length; i++) {
      disordered[i] = disordered[i] == 'a' ? (byte) 'z' : disordered[i];
    }
    List<TableAnswer> answers =
        exchange(
            apply(ByteString.EMPTY),
            apply(ByteString.copyFromUtf8("SCB1 and then nonsense")),
            apply(ByteString.copyFrom(disordered)),
            TableOperation.newBuilder(),
            read(0),
            TableOperation.newBuilder()
                .setApplyRows(ApplyRows.newBuilder().addRows(ByteString.copyFromUtf8("x"))),
            TableOperation.newBuilder()
                .setCheck(
                    CheckAndMutateRow.newBuilder()
                        .setRow(ByteString.copyFromUtf8("a"))
                        .setComparison(ValueComparison.newBuilder().setOperatorValue(77))
                        .setWhenMet(WireCells.toWire(batch(put("a", "f:x", 1, "1"))))),
            TableOperation.newBuilder()
                .setCheck(CheckAndMutateRow.newBuilder().setRow(ByteString.copyFromUtf8("a"))),
            TableOperation.newBuilder()
                .setModify(
                    ReadModifyWriteRow.newBuilder()
                        .setRow(ByteString.copyFromUtf8("a"))
                        .addRules(ModifyRule.newBuilder().setFamily(ByteString.copyFromUtf8("f")))),
            TableOperation.newBuilder()
                .setRead(
                    ReadCells.newBuilder()
                        .setMaxBytes(10)
                        .setPredicate(
                            TablePredicate.newBuilder()
                                .addTimes(TableTimeRange.newBuilder().setFrom(2).setTo(1)))));
    assertInvalid(answers.get(0), "cell batch");
    assertInvalid(answers.get(1), "cell batch");
    assertInvalid(answers.get(2), "not above the one before");
    assertInvalid(answers.get(3), "says nothing");
    assertInvalid(answers.get(4), "at least 1");
    assertInvalid(answers.get(5), "cell batch");
    assertInvalid(answers.get(6), "operator 77");
    assertInvalid(answers.get(7), "without changes");
    assertInvalid(answers.get(8), "append or increment");
    assertInvalid(answers.get(9), "time range");
    assertThat(table.all()).isEmpty();
  }

  @Test
  void errorsOfEveryKindArrive() throws Exception {
    for (SteleException problem :
        List.of(
            new ConflictException("c"),
            new CorruptDataException("file", 1, "this", "that"),
            new DeniedException("d"),
            new ExhaustedException("e"),
            new FencedException("f"),
            new InvalidRequestException("i"),
            new NotFoundException("n"),
            new NotServingException("s", "host:1"),
            new OutcomeUnknownException("o"),
            new UnavailableException("u"))) {
      served.onCall(
          operation -> {
            throw problem;
          });
      SteleException arrived =
          ErrorMapping.fromMessage("here", exchange(read(10)).getFirst().getError());
      assertThat(arrived).isInstanceOf(problem.getClass());
      assertThat(arrived.getMessage()).contains(problem.getMessage());
      if (arrived instanceof NotServingException elsewhere) {
        assertThat(elsewhere.hint()).contains("host:1");
      }
    }
  }

  @Test
  void aDefectIsToldToItsOperationOnly() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    served.onCall(
        operation -> {
          if (operation.equals("apply") && calls.incrementAndGet() == 2) {
            throw new IllegalStateException("a defect");
          }
        });
    List<TableAnswer> answers =
        exchange(
            apply(put("a", "f:x", 1, "1")),
            apply(put("b", "f:x", 1, "1")),
            apply(put("c", "f:x", 1, "1")));
    assertThat(answers.get(0).hasTxn()).isTrue();
    assertThat(answers.get(1).getError().getKind()).isEqualTo("DEFECT");
    assertThat(answers.get(2).hasTxn()).isTrue();
  }

  /** Sends bytes as they are. */
  private static final MethodDescriptor.Marshaller<byte[]> RAW =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          return new byte[0];
        }
      };

  @Test
  void garbageEndsItsStreamAndNothingElse() throws Exception {
    Random random = new Random(7);
    byte[] good = message(apply(put("a", "f:x", 1, "1")), read(100)).toByteArray();
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[random.nextInt(100)];
      random.nextBytes(bytes);
      if (i % 2 == 0) { // something like a message
        bytes = good.clone();
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Call<byte[], byte[]> call =
          new Call<>(channel, TableDataGrpc.getExchangeMethod().toBuilder(RAW, RAW).build());
      call.call.sendMessage(bytes);
      call.call.halfClose();
      call.call.request(1000);
      call.closed.get(10, TimeUnit.SECONDS);
    }
    assertThat(exchange(apply(put("good", "f:x", 1, "1"))).getFirst().hasTxn()).isTrue();
    assertThat(table.row("good")).hasSize(1);
  }

  @Test
  void damagedCellsNeverHarm() throws Exception {
    Random random = new Random(8);
    byte[] good =
        batch(put("a", "f:x", 1, "1"), Cell.eraseRow(Bytes.utf8("b")), put("c", "f:x", 1, "3"))
            .toArray();
    TableOperation.Builder[] operations = new TableOperation.Builder[2000];
    for (int i = 0; i < operations.length; i++) {
      byte[] bytes = good.clone();
      for (int n = random.nextInt(3); n >= 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      operations[i] = apply(ByteString.copyFrom(bytes, 0, bytes.length - random.nextInt(2)));
    }
    for (TableAnswer answer : exchange(operations)) {
      assertThat(answer.hasTxn() || answer.getError().getKind().equals("INVALID_REQUEST"))
          .as(answer.toString())
          .isTrue();
    }
  }

  // ---- clients that do not read

  private void fill(int rows, int valueBytes) {
    for (int i = 0; i < rows; i++) {
      table.apply(put("r%04d".formatted(i), "f:x", 1, "v".repeat(valueBytes)));
    }
  }

  @Test
  void aScanReadsNoFurtherThanItsClientTakes() throws Exception {
    fill(200, 100_000); // 20 MB
    AtomicInteger pages = new AtomicInteger();
    served.onCall(
        operation -> {
          if (operation.equals("scan.next")) {
            pages.incrementAndGet();
          }
        });
    Call<ScanTableRequest, TablePage> scan =
        new Call<>(channel, TableDataGrpc.getScanTableMethod());
    scan.call.sendMessage(
        ScanTableRequest.newBuilder().setTable("t").setPageBytes(100_000).build());
    scan.call.halfClose();
    assertThat(scan.next().getMore()).isTrue(); // the head
    await().until(() -> pages.get() > 0);
    // It stops: pages that nobody takes are not read.
    await()
        .during(200, TimeUnit.MILLISECONDS)
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> pages.get() < 40);
    int before = pages.get();
    for (int i = 0; i < 60; i++) {
      scan.next();
    }
    await().until(() -> pages.get() > before);
    assertThat(served.openScans()).isEqualTo(1);
    scan.call.cancel("enough", null);
    await().until(() -> served.openScans() == 0);
  }

  @Test
  void readsStopWhileTheirAnswersAreNotTaken() throws Exception {
    fill(1, 1_000_000);
    AtomicInteger reads = new AtomicInteger();
    served.onCall(
        operation -> {
          if (operation.equals("read")) {
            reads.incrementAndGet();
          }
        });
    TableOperation.Builder[] operations = new TableOperation.Builder[500];
    for (int i = 0; i < operations.length; i++) {
      operations[i] = read(4 << 20);
    }
    Call<ExchangeRequest, ExchangeResponse> exchange =
        new Call<>(channel, TableDataGrpc.getExchangeMethod());
    exchange.call.sendMessage(message(operations));
    exchange.call.halfClose();
    await()
        .during(300, TimeUnit.MILLISECONDS)
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> reads.get() > 0 && reads.get() < 60);
    int answers = 0;
    while (answers < operations.length) {
      answers += exchange.next().getAnswersCount();
    }
    assertThat(exchange.closed.get(10, TimeUnit.SECONDS).isOk()).isTrue();
    assertThat(reads).hasValue(500);
  }

  @Test
  void changesStopWhileTheirAnswersAreNotThere() throws Exception {
    CompletableFuture<Void> go = new CompletableFuture<>();
    AtomicInteger writes = new AtomicInteger();
    served.onCall(
        operation -> {
          if (operation.equals("apply")) {
            writes.incrementAndGet();
            go.join();
          }
        });
    Call<ExchangeRequest, ExchangeResponse> exchange =
        new Call<>(channel, TableDataGrpc.getExchangeMethod());
    int sent = 0;
    byte[] value = new byte[1 << 20];
    for (int i = 0; i < 100; i++) {
      exchange.call.sendMessage(
          ExchangeRequest.newBuilder()
              .addOperations(
                  apply(
                          WireCells.toWire(
                              batch(
                                  Cell.put(
                                      Bytes.utf8("r" + i),
                                      Bytes.utf8("f"),
                                      Bytes.utf8("x"),
                                      1,
                                      Bytes.of(value)))))
                      .setTable("t")
                      .setId(i))
              .build());
      sent++;
    }
    exchange.call.halfClose();
    await().until(() -> writes.get() == 1);
    // Most of it is still at the client: it cannot send more than the server takes.
    assertThat(exchange.call.isReady()).isFalse();
    go.complete(null);
    int answers = 0;
    while (answers < sent) {
      answers += exchange.next().getAnswersCount();
    }
    assertThat(exchange.closed.get(10, TimeUnit.SECONDS).isOk()).isTrue();
    assertThat(writes).hasValue(100);
  }
}
