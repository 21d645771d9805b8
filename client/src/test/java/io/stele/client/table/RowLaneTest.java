package io.stele.client.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.time.Clock;
import io.stele.base.tls.PlainChannel;
import io.stele.client.table.RowTurn.Outcome;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Threads share a few connections; the test is the server, and answers when it likes to. */
class RowLaneTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private ServerSocketChannel listener;
  private InetSocketAddress address;
  private final List<RowFrames> accepted = new ArrayList<>();
  private final List<Thread> callers = new ArrayList<>();
  private RowLane lane = new RowLane(Clock.system(), 1, LONG, PlainChannel::new);

  @BeforeEach
  void listen() throws IOException {
    listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    address = (InetSocketAddress) listener.getLocalAddress();
  }

  @AfterEach
  void close() throws IOException {
    lane.close();
    accepted.forEach(RowFrames::close);
    listener.close();
    callers.forEach(Thread::interrupt);
  }

  private void patience(Duration patience) {
    lane = new RowLane(Clock.system(), 1, patience, PlainChannel::new);
  }

  private RowFrames accept() throws IOException {
    RowFrames frames =
        new RowFrames(new PlainChannel(listener.accept()), RowFrames.MOST_REQUEST_BYTES);
    accepted.add(frames);
    assertThat(frames.isGreeted()).isTrue();
    return frames;
  }

  private static PendingOperation operation(String table) {
    return new PendingOperation(
        null, TableOperation.newBuilder().setTable(table), null, true, 10, false, () -> true, 0);
  }

  /** What becomes of an operation of a new thread. */
  private CompletableFuture<@Nullable Outcome> call(String table) {
    CompletableFuture<@Nullable Outcome> outcome = new CompletableFuture<>();
    callers.add(
        Thread.ofPlatform()
            .daemon()
            .start(() -> outcome.complete(lane.exchange(operation(table), address))));
    return outcome;
  }

  private CompletableFuture<@Nullable Outcome> queued(String table) {
    int before = lane.queued();
    CompletableFuture<@Nullable Outcome> outcome = call(table);
    await().until(() -> lane.queued() == before + 1);
    return outcome;
  }

  private static ExchangeRequest read(RowFrames frames) throws IOException {
    return frames.read(ExchangeRequest.parser()).orElseThrow();
  }

  /** Answers with the length of the table's name, so that answers can be told apart. */
  private static void answer(RowFrames frames, List<TableOperation> operations) throws IOException {
    ExchangeResponse.Builder response = ExchangeResponse.newBuilder().setIncarnation(7);
    for (TableOperation each : operations) {
      response.addAnswers(
          TableAnswer.newBuilder().setId(each.getId()).setTxn(each.getTable().length()));
    }
    frames.write(response.build());
  }

  private static void assertAnswered(CompletableFuture<@Nullable Outcome> call, long txn) {
    assertThat(join(call))
        .isInstanceOfSatisfying(
            Outcome.Answered.class,
            answered -> {
              assertThat(answered.answer().getTxn()).isEqualTo(txn);
              assertThat(answered.incarnation()).isEqualTo(7);
            });
  }

  private static @Nullable Outcome join(CompletableFuture<@Nullable Outcome> call) {
    return call.orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void aLoneCallerSendsAtOnceAndItsConnectionStays() throws IOException {
    CompletableFuture<@Nullable Outcome> one = call("t");
    RowFrames server = accept();
    answer(server, read(server).getOperationsList());
    assertAnswered(one, 1);
    CompletableFuture<@Nullable Outcome> two = call("tt");
    answer(server, read(server).getOperationsList());
    assertAnswered(two, 2);
  }

  @Test
  void thoseWhoQueueShareTheNextRequestAndEachGetsItsOwnAnswer() throws IOException {
    CompletableFuture<@Nullable Outcome> one = call("t");
    RowFrames server = accept();
    List<TableOperation> first = read(server).getOperationsList();
    assertThat(first).hasSize(1);
    CompletableFuture<@Nullable Outcome> two = queued("tt");
    CompletableFuture<@Nullable Outcome> three = queued("ttt");
    CompletableFuture<@Nullable Outcome> four = queued("tttt");
    answer(server, first);
    List<TableOperation> rest = read(server).getOperationsList();
    assertThat(rest).extracting(TableOperation::getTable).containsExactly("tt", "ttt", "tttt");
    answer(server, rest.reversed());
    assertAnswered(one, 1);
    assertAnswered(two, 2);
    assertAnswered(three, 3);
    assertAnswered(four, 4);
  }

  @Test
  void whoIsAnsweredLeavesTheConnectionToOneWhoIsNot() throws IOException {
    CompletableFuture<@Nullable Outcome> first = call("t");
    RowFrames server = accept();
    List<TableOperation> alone = read(server).getOperationsList();
    CompletableFuture<@Nullable Outcome> two = queued("tt");
    CompletableFuture<@Nullable Outcome> three = queued("ttt");
    CompletableFuture<@Nullable Outcome> four = queued("tttt");
    answer(server, alone);
    List<TableOperation> rest = read(server).getOperationsList();
    answer(server, rest.subList(0, 1)); // of the thread that receives
    assertAnswered(two, 2);
    answer(server, rest.subList(2, 3));
    assertAnswered(four, 4);
    assertThat(three).isNotDone();
    answer(server, rest.subList(1, 2));
    assertAnswered(three, 3);
    assertAnswered(first, 1);
    CompletableFuture<@Nullable Outcome> next = call("t");
    answer(server, read(server).getOperationsList());
    assertAnswered(next, 1);
  }

  @Test
  void whoHasQueuedForLongTakesAnotherConnectionWhichIsClosedAfterwards() throws IOException {
    patience(Duration.ofMillis(10));
    CompletableFuture<@Nullable Outcome> slow = call("t");
    RowFrames server = accept();
    List<TableOperation> first = read(server).getOperationsList();
    CompletableFuture<@Nullable Outcome> quick = call("tt");
    RowFrames second = accept();
    answer(second, read(second).getOperationsList());
    assertAnswered(quick, 2);
    await().until(second::isStale); // closed
    answer(server, first);
    assertAnswered(slow, 1);
  }

  @Test
  void whoIsInterruptedInTheQueueSendsNothing() throws IOException {
    CompletableFuture<@Nullable Outcome> one = call("t");
    RowFrames server = accept();
    List<TableOperation> first = read(server).getOperationsList();
    CompletableFuture<@Nullable Outcome> two = queued("tt");
    callers.getLast().interrupt();
    assertThat(join(two)).isNull();
    answer(server, first);
    assertAnswered(one, 1);
    CompletableFuture<@Nullable Outcome> three = call("ttt");
    assertThat(read(server).getOperationsList())
        .extracting(TableOperation::getTable)
        .containsExactly("ttt");
    assertThat(three).isNotDone();
  }

  @Test
  void aConnectionThatBreaksLeavesAllThatWereSentInDoubtAndTheNextOneOpensAnother()
      throws IOException {
    CompletableFuture<@Nullable Outcome> one = call("t");
    RowFrames server = accept();
    List<TableOperation> first = read(server).getOperationsList();
    CompletableFuture<@Nullable Outcome> two = queued("tt");
    CompletableFuture<@Nullable Outcome> three = queued("ttt");
    answer(server, first);
    assertAnswered(one, 1);
    assertThat(read(server).getOperationsList()).hasSize(2);
    server.close();
    for (CompletableFuture<@Nullable Outcome> sent : List.of(two, three)) {
      assertThat(join(sent))
          .isInstanceOfSatisfying(
              Outcome.Lost.class, lost -> assertThat(lost.maybe()).as(lost.what()).isTrue());
    }
    CompletableFuture<@Nullable Outcome> four = call("tttt");
    RowFrames again = accept();
    answer(again, read(again).getOperationsList());
    assertAnswered(four, 4);
  }

  @Test
  void aServerThatEndsInOrderHasDoneNothing() throws IOException {
    CompletableFuture<@Nullable Outcome> one = call("t");
    RowFrames server = accept();
    read(server);
    server.writeEnd();
    assertThat(join(one)).isEqualTo(new Outcome.Lost("ended the connection", false, false));
  }

  @Test
  void oneWhoseTimeIsOverIsLetGoAndTheOthersAreAnswered() throws IOException {
    CompletableFuture<@Nullable Outcome> one = call("t");
    RowFrames server = accept();
    List<TableOperation> first = read(server).getOperationsList();
    CompletableFuture<@Nullable Outcome> two = queued("tt");
    CompletableFuture<@Nullable Outcome> three = queued("ttt");
    answer(server, first);
    assertAnswered(one, 1);
    List<TableOperation> rest = read(server).getOperationsList();
    RowConnection connection = lane.busy().iterator().next();
    Outcome late = new Outcome.Lost("is too slow", true, false);
    connection.end(connection.underWay().getLast(), late);
    assertThat(join(three)).isEqualTo(late);
    answer(server, rest);
    assertAnswered(two, 2);
    CompletableFuture<@Nullable Outcome> four = call("tttt");
    answer(server, read(server).getOperationsList());
    assertAnswered(four, 4);
  }

  @Test
  void theOneThatReceivesIsFreedByClosingItsConnection() throws IOException {
    CompletableFuture<@Nullable Outcome> one = call("t");
    RowFrames server = accept();
    read(server);
    RowConnection connection = lane.busy().iterator().next();
    Outcome late = new Outcome.Lost("is too slow", true, false);
    connection.end(connection.underWay().getFirst(), late);
    assertThat(join(one)).isEqualTo(late);
  }
}
