package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.stele.base.tls.PlainChannel;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TablePage;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In how many messages the answers to a request go out, and in what order. */
class RowAnswersTest {
  private RowFrames server;
  private RowFrames client;
  private RowAnswers answers;

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      client =
          new RowFrames(
              new PlainChannel(SocketChannel.open(listener.getLocalAddress())),
              RowFrames.MOST_ANSWER_BYTES);
      server = new RowFrames(new PlainChannel(listener.accept()), RowFrames.MOST_REQUEST_BYTES);
    }
    answers = new RowAnswers(server, 7);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static CompletableFuture<TableAnswer> done(long id) {
    return CompletableFuture.completedFuture(answer(id));
  }

  private static TableAnswer answer(long id) {
    return TableAnswer.newBuilder().setId(id).setTxn(100 + id).build();
  }

  private List<Long> received() throws IOException {
    ExchangeResponse response = client.read(ExchangeResponse.parser()).orElseThrow();
    assertThat(response.getIncarnation()).isEqualTo(7);
    return response.getAnswersList().stream().map(TableAnswer::getId).toList();
  }

  @Test
  void answersThatAreThereGoOutTogether() throws IOException {
    for (long id = 0; id < 10; id++) {
      answers.add(done(id));
    }
    answers.finish();
    assertThat(received()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
  }

  @Test
  void answersThatComeWithOneSyncGoOutTogether() throws Exception {
    CompletableFuture<TableAnswer> one = new CompletableFuture<>();
    CompletableFuture<TableAnswer> two = new CompletableFuture<>();
    answers.add(one);
    answers.add(two);
    one.complete(answer(0));
    two.complete(answer(1));
    answers.finish();
    assertThat(received()).containsExactly(0L, 1L);
  }

  @Test
  void aSlowAnswerKeepsNoOtherWaiting() throws Exception {
    CompletableFuture<TableAnswer> slow = new CompletableFuture<>();
    CompletableFuture<TableAnswer> slower = new CompletableFuture<>();
    answers.add(slow);
    answers.add(done(1));
    answers.add(slower);
    Thread sends =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    answers.finish();
                  } catch (IOException e) {
                    server.close(); // which ends the test
                  }
                });
    assertThat(received()).containsExactly(1L);
    slow.complete(answer(0));
    assertThat(received()).containsExactly(0L);
    slower.complete(answer(2));
    assertThat(received()).containsExactly(2L);
    sends.join();
  }

  /** A request may ask for many pages, and a message has a bound. */
  @Test
  void largeAnswersGoOutOneByOne() throws Exception {
    TablePage page =
        TablePage.newBuilder().setCells(ByteString.copyFrom(new byte[100_000])).build();
    Thread reads =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (long id = 0; id < 3; id++) {
                      answers.add(
                          CompletableFuture.completedFuture(
                              TableAnswer.newBuilder().setId(id).setPage(page).build()));
                    }
                    answers.finish();
                  } catch (IOException e) {
                    server.close();
                  }
                });
    assertThat(received()).containsExactly(0L);
    assertThat(received()).containsExactly(1L);
    assertThat(received()).containsExactly(2L);
    reads.join();
  }
}
