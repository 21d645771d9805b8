package io.stele.client.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ConflictException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.CallSettings;
import io.stele.testkit.FreePorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which calls are made again after which failure, and that what is made again is done once. */
@Execution(ExecutionMode.CONCURRENT)
class RepeatRulesTest {
  static final ClientSettings QUICK =
      ClientSettings.DEFAULTS.withCalls(
          CallSettings.DEFAULTS.withPauses(Duration.ofMillis(1), Duration.ofMillis(20)));

  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeServer server = new FakeServer(metastore);
  private final List<AutoCloseable> toClose = new ArrayList<>(List.of(server));

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable closeable : toClose.reversed()) {
      closeable.close();
    }
  }

  private MetastoreClient client(ClientSettings settings, String... addresses) {
    MetastoreClient client = new MetastoreClient(List.of(addresses), settings);
    toClose.add(client);
    return client;
  }

  /**
   * A kind of failure, and what may be done about it.
   *
   * @param onceAgain whether a read, or a change that is recognized, is made again
   * @param unnumberedAgain whether any other change is
   * @param error what else the caller gets
   */
  record Failure(
      String name,
      Fault fault,
      boolean onceAgain,
      boolean unnumberedAgain,
      @Nullable Class<? extends SteleException> error) {
    static Failure refusal(String name, SteleException problem) {
      return new Failure(name, Fault.refused(problem), false, false, problem.getClass());
    }

    static Failure passing(String name, Fault fault, boolean certainlyNotDone) {
      return new Failure(name, fault, true, certainlyNotDone, null);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Failure> FAILURES =
      List.of(
          Failure.passing("not serving", Fault.refused(new NotServingException("no leader")), true),
          Failure.passing("unavailable", Fault.refused(new UnavailableException("busy")), true),
          Failure.passing("lost request", Fault.lostRequest(), false),
          Failure.passing("lost answer", Fault.lostAnswer(), false),
          Failure.passing(
              "outcome unknown", Fault.doneBut(new OutcomeUnknownException("lost")), false),
          Failure.refusal("exhausted", new ExhaustedException("full")),
          Failure.refusal("conflict", new ConflictException("no")),
          Failure.refusal("denied", new DeniedException("no")),
          Failure.refusal("invalid", new InvalidRequestException("no")));

  /** A kind of call. */
  record Kind(String method, Consumer<MetastoreClient> call, int changes) {
    @Override
    public String toString() {
      return method;
    }
  }

  private static final List<Kind> KINDS =
      List.of(
          new Kind("Range", client -> client.get("/a"), 0),
          new Kind("Put", client -> client.put("/a", "1"), 1),
          new Kind("Delete", client -> client.delete("/a"), 1),
          new Kind(
              "Transact", client -> client.transaction().then(Step.put("/a", "1")).commit(), 1),
          new Kind(
              "Commit",
              client ->
                  client.transact(
                      tx -> {
                        tx.get("/b");
                        tx.put("/a", "1");
                        return 0;
                      }),
              1));

  static Stream<Arguments> failuresOfKinds() {
    return FAILURES.stream()
        .flatMap(failure -> KINDS.stream().map(kind -> Arguments.of(failure, kind)));
  }

  @ParameterizedTest
  @MethodSource("failuresOfKinds")
  void numberedChangesAndReadsAreMadeAgainAndDoneOnce(Failure failure, Kind kind) {
    MetastoreClient client = client(QUICK.withTransactionAttempts(1), server.address());
    server.fail(kind.method, failure.fault);
    if (failure.onceAgain) {
      kind.call.accept(client);
      assertThat(metastore.applied()).isEqualTo(kind.changes);
      assertThat(server.calls(kind.method)).isEqualTo(2);
      assertThat(metastore.origins.stream().distinct().count()).isEqualTo(kind.changes);
    } else {
      assertThatThrownBy(() -> kind.call.accept(client)).isInstanceOf(failure.error);
      assertThat(metastore.applied()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("failuresOfKinds")
  void changesWithoutANumberAreMadeAgainOnlyIfCertainlyNotDone(Failure failure, Kind kind) {
    MetastoreClient client =
        client(QUICK.withDeduplicate(false).withTransactionAttempts(1), server.address());
    server.fail(kind.method, failure.fault);
    if (kind.changes == 0 ? failure.onceAgain : failure.unnumberedAgain) {
      kind.call.accept(client);
      assertThat(metastore.applied()).isEqualTo(kind.changes);
    } else {
      assertThatThrownBy(() -> kind.call.accept(client))
          .isInstanceOf(failure.error == null ? OutcomeUnknownException.class : failure.error);
      assertThat(server.calls(kind.method)).isEqualTo(1);
    }
  }

  @Test
  void anotherServerIsAskedWhereNobodyListens() {
    MetastoreClient client =
        client(QUICK.withDeduplicate(false), FakeServer.deadAddress(), server.address());
    client.put("/a", "1");
    assertThat(metastore.applied()).isEqualTo(1);
    client.put("/a", "2");
    assertThat(server.calls("Put")).isEqualTo(2);
  }

  @Test
  void theLeaderThatAServerNamesIsAsked() {
    try (FakeServer leader = new FakeServer(metastore)) {
      MetastoreClient client = client(QUICK.withDeduplicate(false), server.address());
      server.fail("Put", Fault.refused(new NotServingException("not I", leader.address())));
      client.put("/a", "1");
      client.put("/a", "2");
      assertThat(leader.calls("Put")).isEqualTo(2);
      assertThat(server.calls("Put")).isEqualTo(1);
    }
  }

  @Test
  void theLeaderIsLookedForAmongTheServersGiven() {
    try (FakeServer leader = new FakeServer(metastore)) {
      MetastoreClient client = client(QUICK, server.address(), leader.address());
      metastore.leader = leader.address();
      client.get("/a");
      await()
          .until(
              () -> {
                client.get("/a");
                return leader.calls("Range") > 0;
              });
    }
  }

  @Test
  void aLeaderUnderANameThatWasNotGivenIsNotSought() {
    try (FakeServer other = new FakeServer(metastore)) {
      MetastoreClient client = client(QUICK, server.address(), other.address());
      metastore.leader = FakeServer.deadAddress();
      client.get("/a");
      await().until(() -> server.calls("Status") == 1);
      client.get("/a");
      assertThat(server.calls("Range")).isEqualTo(2);
    }
  }

  @Test
  void aNumberedChangeGoesToAnotherMemberUnderTheSameNumber() {
    try (FakeServer other = new FakeServer(metastore)) {
      MetastoreClient client = client(QUICK, server.address(), other.address());
      server.fail("Put", Fault.lostAnswer());
      client.put("/a", "1");
      assertThat(metastore.applied()).isEqualTo(1);
      assertThat(other.calls("Put")).isEqualTo(1);
      assertThat(metastore.origins.get(0)).isEqualTo(metastore.origins.get(1));
    }
  }

  /** Opens the connection and the session of a client whose time may be over before that. */
  private static void connect(MetastoreClient client) {
    await()
        .ignoreExceptionsInstanceOf(SteleException.class)
        .until(() -> client.put("/b", "1").revision() > 0);
  }

  @Test
  void whenTheTimeIsOverAChangeThatMayBeDoneIsUnknown() {
    MetastoreClient client =
        client(
            QUICK.withCalls(QUICK.calls().withTimeout(Duration.ofMillis(300))), server.address());
    connect(client);
    Fault[] faults = new Fault[500];
    Arrays.fill(faults, Fault.refused(new NotServingException("no leader")));
    // Where the time is over while an attempt is under way, that one may be done: then once more.
    await()
        .untilAsserted(
            () -> {
              server.fail("Put", faults);
              assertThatThrownBy(() -> client.put("/a", "1"))
                  .isInstanceOf(UnavailableException.class)
                  .hasMessageContaining("Put")
                  .hasMessageContaining(server.address())
                  .hasMessageContaining("no leader");
            });

    try (FakeServer other = new FakeServer(metastore)) {
      MetastoreClient second =
          client(
              QUICK.withCalls(QUICK.calls().withTimeout(Duration.ofMillis(300))), other.address());
      connect(second);
      other.fail("Put", Fault.lostRequest());
      other.fail("Put", faults);
      assertThatThrownBy(() -> second.put("/a", "1")).isInstanceOf(OutcomeUnknownException.class);
      Fault[] lost = new Fault[500];
      Arrays.fill(lost, Fault.lostRequest());
      other.fail("Range", lost);
      assertThatThrownBy(() -> second.get("/a")).isInstanceOf(UnavailableException.class);
    }
  }

  @Test
  void aServerThatIsBackIsFoundAtOnce() {
    metastore.set("/a", "1");
    int port = FreePorts.next();
    MetastoreClient impatient =
        client(
            QUICK.withCalls(QUICK.calls().withTimeout(Duration.ofSeconds(3))), "127.0.0.1:" + port);
    // Where the machine itself is slow, that is no backing off: then once more.
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              assertThatThrownBy(() -> impatient.get("/a"))
                  .isInstanceOf(UnavailableException.class);
              try (FakeServer _ = new FakeServer(metastore, port)) {
                // Far below the time that a connection backs off by itself after three seconds of
                // refusals.
                long start = System.nanoTime();
                assertThat(impatient.get("/a")).isPresent();
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(1));
              }
            });
  }

  @Test
  void everyCallSaysOnWhoseBehalf() {
    MetastoreClient client =
        client(QUICK.withCalls(QUICK.calls().withPrincipal("alice")), server.address());
    client.put("/a", "1");
    client.get("/a");
    assertThat(server.principals()).containsOnly("alice");
  }

  @Test
  void addressesAreChecked() {
    assertThatThrownBy(() -> new MetastoreClient(List.of(), QUICK))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> new MetastoreClient(List.of("localhost"), QUICK))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"localhost\"")
        .hasMessageContaining("HOST:PORT");
  }
}
