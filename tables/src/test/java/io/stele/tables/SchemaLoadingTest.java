package io.stele.tables;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.put;
import static io.stele.testkit.table.TableFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.tables.cluster.SmallCluster;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.master.LiveServer;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.tablet.TableState;
import io.stele.testkit.sim.Intercepted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * "Table states: 0) Table is unknown. 1) Table allocated, schema is loading. 2) Table is active."
 * Requests in state 1 are deferred for a bounded time.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class SchemaLoadingTest {
  /** Where the thread that reads a schema waits. */
  private static final class Gate {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);
    private volatile boolean closed;

    void pass() {
      if (closed) {
        reached.countDown();
        await().until(() -> opened.getCount() == 0);
      }
    }

    void close() {
      closed = true;
    }

    void awaitReached() throws InterruptedException {
      assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
    }

    void open() {
      closed = false;
      opened.countDown();
    }
  }

  private final Gate gate = new Gate();
  private volatile boolean metaFails;

  private final SmallCluster cluster =
      new SmallCluster(
          new SmallCluster.Surroundings() {
            @Override
            public MetaAccess elsewhere(LiveServer server, MetaAccess meta) {
              return server.address().equals("b:1")
                  ? Intercepted.of(
                      MetaAccess.class,
                      meta,
                      (method, _, rest) -> {
                        if (method.getName().equals("scan")) {
                          gate.pass();
                          if (metaFails) {
                            throw new UnavailableException("META is away");
                          }
                        }
                        return rest.proceed();
                      })
                  : meta;
            }
          });
  private final Node meta = cluster.start("a:1");
  private final List<CompletableFuture<String>> requests = new ArrayList<>();

  @AfterEach
  void end() {
    gate.open();
    cluster.close();
  }

  /** A server that is about to load the table, and META elsewhere. */
  private Node coming(TabletServerSettings settings) {
    cluster.bootstrap(meta);
    cluster.create("t", TableSchema.ofFamilies("f"));
    cluster.load(meta, cluster.keys("t"));
    meta.table("t").apply(put("row", "f:", 1, "value"));
    cluster.unload(meta, cluster.keys("t"));
    return cluster.start("b:1", settings);
  }

  private static CompletableFuture<String> in(Supplier<String> action) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                answer.complete(action.get());
              } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
              }
            });
    return answer;
  }

  private CompletableFuture<String> load(Node node) throws InterruptedException {
    gate.close();
    CompletableFuture<String> load =
        in(
            () -> {
              cluster.load(node, cluster.keys("t"));
              return "loaded";
            });
    gate.awaitReached();
    return load;
  }

  private static TableState state(Node node) {
    return node.server().machinery().tables().state("t");
  }

  /** One request of each kind. */
  private void ask(TabletServer server) {
    requests.add(
        in(
            () ->
                texts(answer(server.read("t", ReadPredicate.ALL, ScanOptions.DEFAULT, 1000)))
                    .toString()));
    requests.add(
        in(
            () -> {
              try (TableScan scan = server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
                return texts(scan.next(1000)).toString();
              }
            }));
    requests.add(
        in(
            () ->
                "at "
                    + answer(
                        server.apply(
                            "t", batch(put("row", "f:", 1, "value")), Tables.ANY_TXN, true))));
    requests.add(in(() -> server.schema("t").toString()));
    requests.add(in(() -> server.sampleRows("t").toString()));
  }

  private static Throwable failure(CompletableFuture<String> request) throws InterruptedException {
    try {
      throw new AssertionError("answered: " + request.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** "0) Table is unknown." */
  @Test
  void requestsForATableThatIsNotHereAreRefused() throws InterruptedException {
    Node node = coming(SmallCluster.QUIET);
    assertThat(state(node)).isEqualTo(TableState.UNKNOWN);
    ask(node.server());
    for (CompletableFuture<String> request : requests) {
      assertThat(failure(request)).isInstanceOf(NotServingException.class);
    }
  }

  /** "1) Table allocated, schema is loading." Then "2) Table is active." */
  @Test
  void requestsWaitWhileTheSchemaIsRead() throws Exception {
    Node node = coming(SmallCluster.QUIET);
    CompletableFuture<String> load = load(node);
    assertThat(state(node)).isEqualTo(TableState.SCHEMA_LOADING);
    ask(node.server());
    assertThatThrownBy(() -> CompletableFuture.anyOf(array()).get(50, TimeUnit.MILLISECONDS))
        .as("all of them wait")
        .isInstanceOf(TimeoutException.class);
    gate.open();
    assertThat(load.get()).isEqualTo("loaded");
    assertThat(state(node)).isEqualTo(TableState.ACTIVE);
    for (CompletableFuture<String> request : requests) {
      assertThat(request.get()).isNotEmpty();
    }
    assertThat(requests.getFirst().get()).contains("value");
  }

  private CompletableFuture<?>[] array() {
    return requests.toArray(CompletableFuture<?>[]::new);
  }

  @Test
  void theyWaitForABoundedTime() throws Exception {
    Node node =
        coming(
            SmallCluster.QUIET.withWrites(
                SmallCluster.QUIET
                    .writes()
                    .withLimits(Duration.ofSeconds(10), Duration.ofMillis(20))));
    CompletableFuture<String> load = load(node);
    ask(node.server());
    for (CompletableFuture<String> request : requests) {
      assertThat(failure(request))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("schema of table \"t\"")
          .hasMessageContaining("try again");
    }
    gate.open();
    assertThat(load.get()).isEqualTo("loaded");
  }

  /** They do not wait until their time is over. */
  @Test
  void theyAreRefusedAsSoonAsTheSchemaCannotBeRead() throws Exception {
    Node node = coming(SmallCluster.QUIET);
    CompletableFuture<String> load = load(node);
    ask(node.server());
    metaFails = true;
    gate.open();
    assertThat(failure(load)).isNotNull();
    for (CompletableFuture<String> request : requests) {
      assertThat(failure(request)).isInstanceOf(NotServingException.class);
    }
    assertThat(state(node)).isEqualTo(TableState.UNKNOWN);
    metaFails = false;
    cluster.load(node, cluster.keys("t"));
    assertThat(node.table("t").all()).hasSize(1);
  }

  /** A table that is here stays active while more of its tablets come. */
  @Test
  void aTableIsActiveAsLongAsItHasATablet() throws Exception {
    cluster.bootstrap(meta);
    cluster.create("t", TableSchema.ofFamilies("f"), "m");
    Node node = cluster.start("b:1");
    cluster.load(node, List.of(cluster.keys("t").getFirst()));
    CompletableFuture<String> load = load(node);
    assertThat(state(node)).isEqualTo(TableState.ACTIVE);
    node.table("t").apply(put("a", "f:", 1, "value"));
    gate.open();
    assertThat(load.get()).isEqualTo("loaded");
    cluster.unload(node, cluster.keys("t"));
    assertThat(state(node))
        .as("(TabletState > 0) ==> (TableState > 0), and no longer")
        .isEqualTo(TableState.UNKNOWN);
  }

  /** A server alone reads the schema of a fixed table from a file. */
  @Test
  void requestsForAFixedTableWaitTooWhileItsFileIsRead() throws Exception {
    MemoryFileStore files = new MemoryFileStore();
    FilePath config = FilePath.of("fixed.config");
    FileStore slow =
        Intercepted.of(
            FileStore.class,
            files,
            (_, arguments, rest) -> {
              if (arguments.length > 0 && arguments[0].equals(config)) {
                gate.pass();
              }
              return rest.proceed();
            });
    TestServer alone = TestServer.open(slow);
    try {
      alone.server.loadFixedTable("fixed", config.toString());
      alone.table("fixed").apply(put("row", "any:", 1, "value"));
      alone.server.unloadTable("fixed");
      gate.close();
      CompletableFuture<String> load =
          in(
              () -> {
                alone.server.loadFixedTable("fixed", config.toString());
                return "loaded";
              });
      gate.awaitReached();
      CompletableFuture<String> read = in(() -> alone.table("fixed").all().toString());
      assertThatThrownBy(() -> read.get(50, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      gate.open();
      assertThat(load.get()).isEqualTo("loaded");
      assertThat(read.get()).contains("value");
    } finally {
      gate.open();
      alone.abandon();
    }
  }
}
