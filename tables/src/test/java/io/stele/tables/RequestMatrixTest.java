package io.stele.tables;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static io.stele.testkit.table.TableFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.tables.tablet.ForcedState;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.write.WriteSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every request in every state of a tablet: "0 error; 1–3 defer (bounded); 4 writes accepted, reads
 * deferred; 5 all; 6 reads only; 7 none, then 0. Requests deferred too long fail with retry."
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class RequestMatrixTest {
  private static final TabletServerSettings IMPATIENT =
      TestServer.SETTINGS.withWrites(
          WriteSettings.DEFAULT
              .withLog(TestServer.LOG, 1L << 30)
              .withLimits(Duration.ofSeconds(10), Duration.ofMillis(20)));

  /** Row a is in the tablet whose state changes, row z in one that stays active. */
  private static final Bytes MIDDLE = bytes("m");

  private final MemoryFileStore files = new MemoryFileStore();
  private TestServer opened;
  private TabletServer server;

  @BeforeEach
  void open() {
    opened = TestServer.open(files, IMPATIENT);
    server = opened.server;
    server.create("t", TableSchema.ofFamilies("f"), List.of(MIDDLE));
    for (int i = 1; i <= 2; i++) {
      opened.table("t").apply(put("a", "f:" + i, 1, "1"), put("z", "f:" + i, 1, "1"));
      server.flush("t");
    }
  }

  @AfterEach
  void end() {
    opened.abandon();
  }

  /** What is expected of a request. */
  enum Expected {
    SERVED,
    DEFERRED,
    REFUSED;

    static Expected of(TabletState.Access access) {
      return switch (access) {
        case SERVED -> SERVED;
        case DEFERRED -> DEFERRED;
        case REFUSED -> REFUSED;
      };
    }
  }

  /** The table of DESIGN, written out: a copy of the code's would agree with any mistake. */
  private static Expected reads(TabletState state) {
    return switch (state.number()) {
      case 0, 7 -> Expected.REFUSED;
      case 1, 2, 3, 4 -> Expected.DEFERRED;
      default -> Expected.SERVED;
    };
  }

  private static Expected writes(TabletState state) {
    return switch (state.number()) {
      case 0, 6, 7 -> Expected.REFUSED;
      case 1, 2, 3 -> Expected.DEFERRED;
      default -> Expected.SERVED;
    };
  }

  /** A read, and a write of what it found. */
  private static Expected both(TabletState state) {
    return reads(state) == Expected.SERVED ? writes(state) : reads(state);
  }

  private void set(TabletState state) {
    Table table = server.machinery().tables().get("t");
    Tablet lower = table.view().tablets().getFirst().tablet();
    ForcedState.set(server.machinery().parts().lock(), table, lower, state);
  }

  private void check(TabletState state, Expected expected, Runnable request) {
    try {
      request.run();
      assertThat(expected).as("state %s: served", state).isEqualTo(Expected.SERVED);
    } catch (UnavailableException e) {
      assertThat(expected).as("state %s: %s", state, e).isEqualTo(Expected.DEFERRED);
      assertThat(e).hasMessageContaining("\"t\"").hasMessageContaining("try again");
      assertThat(e.retryable()).isTrue();
    } catch (NotServingException e) {
      assertThat(expected).as("state %s: %s", state, e).isEqualTo(Expected.REFUSED);
      assertThat(e).hasMessageContaining("\"t\"").hasMessageContaining("\"a\"");
    }
  }

  private List<String> get(String row) {
    return texts(
        answer(
            server.read(
                "t", ReadPredicate.rows(RowRange.row(bytes(row))), ScanOptions.DEFAULT, 1000)));
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void apply(TabletState state) {
    set(state);
    check(state, writes(state), () -> opened.table("t").apply(put("a", "f:x", 2, "new")));
    opened.table("t").apply(put("z", "f:x", 2, "other tablets go on"));
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void aBatchOverTwoTabletsIsWhollyThereOrNotAtAll(TabletState state) {
    set(state);
    check(
        state,
        writes(state),
        () -> opened.table("t").apply(put("a", "f:x", 2, "new"), put("z", "f:x", 2, "new")));
    assertThat(get("z").contains("z/f:x@2=new")).isEqualTo(writes(state) == Expected.SERVED);
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void applyRows(TabletState state) {
    set(state);
    List<RowOutcome> outcomes =
        answer(
            server.applyRows(
                "t", List.of(batch(put("a", "f:x", 2, "1")), batch(put("z", "f:x", 2, "1")))));
    assertThat(outcomes.get(1).failure()).isEmpty();
    check(
        state,
        writes(state),
        () -> {
          Optional<SteleException> failure = outcomes.getFirst().failure();
          if (failure.isPresent()) {
            throw failure.get();
          }
        });
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void checkAndMutate(TabletState state) {
    set(state);
    CheckAndMutate change =
        new CheckAndMutate(
            bytes("a"),
            ReadPredicate.ALL,
            Optional.empty(),
            Optional.of(batch(put("a", "f:x", 2, "met"))),
            Optional.empty());
    check(
        state,
        both(state),
        () -> assertThat(answer(server.checkAndMutate("t", change)).met()).isTrue());
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void readModifyWrite(TabletState state) {
    set(state);
    List<RowRule> rules = List.of(new RowRule.Append(bytes("f"), bytes("1"), bytes("2")));
    check(
        state,
        both(state),
        () ->
            assertThat(texts(answer(server.readModifyWrite("t", bytes("a"), rules))))
                .singleElement()
                .asString()
                .endsWith("=12"));
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void deleteRows(TabletState state) {
    set(state);
    check(
        state,
        both(state),
        () -> assertThat(server.deleteRows("t", RowRange.row(bytes("a")))).isEqualTo(1));
    assertThat(server.deleteRows("t", RowRange.row(bytes("z")))).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void get(TabletState state) {
    set(state);
    check(state, reads(state), () -> assertThat(get("a")).hasSize(2));
    assertThat(get("z")).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void scan(TabletState state) {
    set(state);
    check(
        state,
        reads(state).equals(Expected.REFUSED) ? Expected.REFUSED : reads(state),
        () ->
            assertThat(
                    opened
                        .table("t")
                        .scan(
                            ReadPredicate.rows(RowRange.prefix(bytes("a"))),
                            ScanOptions.DEFAULT,
                            1000))
                .hasSize(2));
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void aScanUnderWayComesToTheTablet(TabletState state) {
    try (TableScan scan =
        server.scan("t", ReadPredicate.rows(RowRange.row(bytes("a"))), ScanOptions.DEFAULT)) {
      assertThat(texts(scan.next(1))).containsExactly("a/f:1@1=1");
      server.flush("t"); // nothing to do, and no reason to let go of files
      set(state);
      List<String> rest;
      try {
        rest = texts(scan.next(1000));
      } catch (SteleException e) {
        check(state, reads(state), () -> rethrow(e));
        return;
      }
      assertThat(rest).as("what it still tells is right").containsExactly("a/f:2@1=1");
    }
  }

  private static void rethrow(SteleException failure) {
    throw failure;
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void splitAndJoin(TabletState state) {
    set(state);
    if (state == TabletState.ACTIVE) {
      assertThat(server.split("t", bytes("a"), bytes("b"))).isEqualTo(bytes("b"));
      server.join("t", bytes("a"));
    } else {
      assertRefused(state, () -> server.split("t", bytes("a"), bytes("b")));
      assertRefused(state, () -> server.join("t", bytes("a")));
    }
    assertThat(server.tablets("t")).hasSize(state == TabletState.UNKNOWN ? 1 : 2);
  }

  private static void assertRefused(TabletState state, Runnable request) {
    try {
      request.run();
    } catch (NotServingException | UnavailableException e) {
      assertThat(e).hasMessageContaining("\"t\"");
      return;
    }
    throw new AssertionError("served in state " + state);
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void onlyActiveTabletsAreCompacted(TabletState state) {
    set(state);
    server.flush("t");
    server.compact("t");
    assertThat(server.tablets("t").getLast().files()).hasSize(1);
    if (state != TabletState.UNKNOWN) {
      assertThat(server.tablets("t").getFirst().files())
          .hasSize(state == TabletState.ACTIVE ? 1 : 2);
    }
  }

  /** What concerns whole tables is done to the tablets that are here; to none by half. */
  private static Expected wholeTable(TabletState state, int... served) {
    boolean done =
        state == TabletState.UNKNOWN
            || IntStream.of(served).anyMatch(number -> number == state.number());
    return done ? Expected.SERVED : Expected.DEFERRED;
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void truncate(TabletState state) {
    set(state);
    check(state, wholeTable(state, 4, 5), () -> server.truncate("t"));
    assertThat(get("z")).hasSize(wholeTable(state, 4, 5) == Expected.SERVED ? 0 : 2);
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void alter(TabletState state) {
    set(state);
    TableSchema more = TableSchema.ofFamilies("f", "g");
    check(state, wholeTable(state, 5), () -> server.alter("t", more));
    assertThat(server.schema("t").equals(more)).isEqualTo(wholeTable(state, 5) == Expected.SERVED);
    assertThat(get("z")).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(TabletState.class)
  void drop(TabletState state) {
    set(state);
    server.drop("t");
    assertThat(server.list(false)).isEmpty();
  }

  @Test
  void aDeferredRequestGoesOnAsSoonAsItCan() {
    TestServer patient = opened;
    patient.abandon();
    opened = TestServer.open(files.crash(CrashMode.dropUnsynced()), TestServer.SETTINGS);
    server = opened.server;
    set(TabletState.LOG_REPLAYING);
    CompletableFuture<Long> write =
        CompletableFuture.supplyAsync(
            () -> opened.table("t").apply(put("a", "f:x", 2, "late")), Thread::startVirtualThread);
    CompletableFuture<List<String>> read =
        CompletableFuture.supplyAsync(() -> get("a"), Thread::startVirtualThread);
    assertThat(write).isNotDone();
    set(TabletState.FRAGMENTS_LOADING);
    assertThat(write).succeedsWithin(Duration.ofSeconds(20));
    assertThat(read).isNotDone();
    set(TabletState.ACTIVE);
    assertThat(read).succeedsWithin(Duration.ofSeconds(20));
    assertThat(get("a")).contains("a/f:x@2=late");
  }

  /** What concerns the whole table waits until its tablets are here. */
  @Test
  void changesOfTablesWaitUntilTheirTabletsAreLoaded() {
    opened.table("t").apply(put("a", "f:x", 2, "in the log"));
    server.create("gone", TableSchema.ofFamilies("f"), List.of());
    server.create("altered", TableSchema.ofFamilies("f"), List.of());
    MemoryFileStore after = files.crash(CrashMode.dropUnsynced());
    opened.abandon();
    CountDownLatch probed = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    TabletServer starting =
        TabletServer.builder(after, new FileRoot(after))
            .settings(IMPATIENT)
            .probe(
                tablet -> {
                  if (tablet.table().equals("t")) {
                    probed.countDown();
                    await(answered);
                  }
                  return false;
                })
            .open();
    try {
      await(probed);
      CompletableFuture<Void> truncate =
          CompletableFuture.runAsync(() -> starting.truncate("t"), Thread::startVirtualThread);
      CompletableFuture<Void> drop =
          CompletableFuture.runAsync(() -> starting.drop("gone"), Thread::startVirtualThread);
      TableSchema other = TableSchema.ofFamilies("f", "g");
      CompletableFuture<Void> alter =
          CompletableFuture.runAsync(
              () -> starting.alter("altered", other), Thread::startVirtualThread);
      CompletableFuture<Long> write =
          starting.apply("t", batch(put("b", "f:x", 1, "1")), Tables.ANY_TXN, true);
      assertThat(write).isCompletedExceptionally();
      assertThat(truncate).isNotDone();
      assertThat(drop).isNotDone();
      assertThat(alter).isNotDone();
      answered.countDown();
      assertThat(CompletableFuture.allOf(truncate, drop, alter))
          .succeedsWithin(Duration.ofSeconds(20));
      starting.awaitLoaded();
      assertThat(starting.list(false)).containsExactly("altered", "t");
      assertThat(starting.schema("altered")).isEqualTo(other);
      assertThat(texts(answer(starting.read("t", ReadPredicate.ALL, ScanOptions.DEFAULT, 10_000))))
          .isEmpty();
    } finally {
      answered.countDown();
      starting.close();
    }
    try (TestServer again = TestServer.open(after)) {
      assertThat(again.server.list(false)).containsExactly("altered", "t");
      assertThat(again.table("t").all()).isEmpty();
      assertThat(again.server.schema("altered").groupOf("g")).isPresent();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
