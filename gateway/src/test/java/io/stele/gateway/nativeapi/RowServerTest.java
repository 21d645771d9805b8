package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.client.Stele;
import io.stele.client.table.Table;
import io.stele.testkit.FreePorts;
import io.stele.testkit.table.MemoryTables;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single operations on rows by threads that wait for them, over connections of their own. */
class RowServerTest {
  private final MemoryTables served = new MemoryTables();
  private final Channels channels = new Channels();
  private NativeServer server = listen(FreePorts.next()); // it is restarted on the same port
  private final Stele stele =
      Stele.builder()
          .endpoints("127.0.0.1:" + server.port())
          .timeout(Duration.ofSeconds(10))
          .connect();
  private final Table table = stele.table("t");
  private volatile String thread = ""; // that the last operation ran on

  private NativeServer listen(int port) {
    return NativeServer.listen(
        "127.0.0.1", port, OptionalInt.of(0), channels, MoreServices.NONE, Optional.empty());
  }

  @BeforeEach
  void serve() {
    served.create("t", TableSchema.ofFamilies("f"), List.of());
    served.onCall(_ -> thread = Thread.currentThread().getName());
    server.serve(served, served);
    table.put("a", "f", "x", "1"); // by a stream, which tells of the port
    assertThat(thread).isNotEqualTo("stele-rows");
  }

  @AfterEach
  void close() {
    served.onCall(_ -> {});
    stele.close();
    server.close();
    channels.close();
  }

  private String value(String row) {
    return table.get(row).orElseThrow().value("f", "x").orElseThrow().toUtf8();
  }

  @Test
  void eachKindOfOperationIsAnswered() {
    assertThat(value("a")).isEqualTo("1");
    assertThat(thread).isEqualTo("stele-rows");
    table.put("b", "f", "x", "2");
    assertThat(thread).isEqualTo("stele-rows");
    assertThat(value("b")).isEqualTo("2");
    assertThat(table.increment("c", "f", "x", 3)).isEqualTo(3);
    assertThat(thread).isEqualTo("stele-rows");
    assertThat(table.get("absent")).isEmpty();
    assertThatThrownBy(() -> stele.table("missing").get("a")).isInstanceOf(NotFoundException.class);
  }

  @Test
  void whoDoesNotWaitUsesTheStream() {
    assertThat(table.getAsync(Bytes.utf8("a"), ReadPredicate.ALL).join()).isPresent();
    assertThat(thread).isNotEqualTo("stele-rows");
  }

  @Test
  void aLargeValueGoesByTheStreamAndComesBack() {
    String large = "v".repeat(600_000);
    table.put("large", "f", "x", large);
    assertThat(thread).isNotEqualTo("stele-rows");
    assertThat(value("large")).isEqualTo(large);
    assertThat(thread).isEqualTo("stele-rows");
  }

  @Test
  void manyThreadsShareWhatThereIs() throws Exception {
    List<Future<?>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(100)) {
      for (int i = 0; i < 100; i++) {
        String row = "row" + i;
        all.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < 10; n++) {
                    table.put(row, "f", "x", row + n);
                    assertThat(value(row)).isEqualTo(row + n);
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  @Test
  void anInterruptedThreadIsAnsweredToo() {
    Thread.currentThread().interrupt();
    assertThat(value("a")).isEqualTo("1");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(value("a")).isEqualTo("1");
  }

  /** A put without a time of its own may not be repeated: nobody must have to wonder. */
  @Test
  void aServerThatWasStoppedInOrderLeavesNoDoubt() {
    assertThat(value("a")).isEqualTo("1");
    int port = server.port();
    server.close();
    server = listen(port);
    server.serve(served, served);
    table.put("a", "f", "x", "2");
    assertThat(value("a")).isEqualTo("2");
  }

  @Test
  void anAnswerThatIsLostIsUnknown() throws Exception {
    assertThat(value("a")).isEqualTo("1");
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    served.onCall(
        operation -> {
          if (operation.equals("apply")) {
            entered.countDown();
            awaitUninterruptibly(go);
          }
        });
    CompletableFuture<Void> put = CompletableFuture.runAsync(() -> table.put("a", "f", "x", "2"));
    entered.await();
    try {
      server.close();
      assertThat(put)
          .failsWithin(Duration.ofSeconds(20))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(OutcomeUnknownException.class);
    } finally {
      go.countDown();
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsWaitedForUntilTheTimeIsOver() {
    CountDownLatch go = new CountDownLatch(1);
    try (Stele impatient =
        Stele.builder()
            .endpoints("127.0.0.1:" + server.port())
            .timeout(Duration.ofMillis(500))
            .connect()) {
      // The time may also be over before it has a connection: then it fails in another way.
      await()
          .ignoreExceptionsInstanceOf(UnavailableException.class)
          .until(() -> impatient.table("t").get("a").isPresent());
      served.onCall(_ -> awaitUninterruptibly(go));
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> impatient.table("t").get("a"))
                      .isInstanceOf(UnavailableException.class)
                      .hasMessageContaining("too slow"));
    } finally {
      go.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\n\r\n", // another protocol
        "SRP1\u007f\u0001\u0001\u0001", // a request of two gigabytes
        "SRP1\u0000\u0000\u0000\u0001\u0007", // no message
      })
  void whoSpeaksAnotherProtocolIsCutOff(String words) throws IOException {
    try (RowServer rows = RowServer.listen("127.0.0.1", 0, () -> null, Optional.empty());
        Socket stranger = new Socket(InetAddress.getLoopbackAddress(), rows.port())) {
      stranger.getOutputStream().write(words.getBytes(StandardCharsets.ISO_8859_1));
      stranger.setSoTimeout(20_000);
      assertThat(stranger.getInputStream().read()).isNegative();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
