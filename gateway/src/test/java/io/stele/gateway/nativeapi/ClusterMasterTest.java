package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Cluster;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.client.cluster.LoneServer;
import io.stele.testkit.table.MemoryTables;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people ask of a cluster, whichever node they ask and whoever is its master. */
class ClusterMasterTest {
  private final Channels channels = new Channels();
  private final NativeServer first = NativeServer.listen("127.0.0.1", 0, channels);
  private final NativeServer second = NativeServer.listen("127.0.0.1", 0, channels);
  private final AtomicReference<Optional<String>> master = new AtomicReference<>(Optional.empty());
  private final Stele stele =
      Stele.builder().endpoints(first.address()).timeout(Duration.ofSeconds(5)).connect();
  private final MemoryTables tables = new MemoryTables();

  @BeforeEach
  void knowTheMaster() {
    first.sendToMaster(master::get);
    second.sendToMaster(master::get);
  }

  @AfterEach
  void close() {
    stele.close();
    first.close();
    second.close();
    channels.close();
  }

  /** Notes what it is asked. */
  private static class FakeCluster implements Cluster {
    static final Status STATUS =
        new Status(
            "host:1",
            7,
            List.of(
                new ServerStatus("host:1", "s1", false, 3, 100, 200, 1.5, 2.5, ""),
                new ServerStatus("host:2", "s2", true, 0, 0, 0, 0, 0, "does not answer")),
            4,
            List.of("t up to m"),
            List.of("host:3"));
    static final Move MOVE =
        new Move("t", bytes("a"), Optional.of(bytes("m")), "host:1", "host:2", "asked for");
    static final Move LAST = new Move("t", bytes("m"), Optional.empty(), "", "host:2", "unserved");
    static final TrashedFile TRASHED = new TrashedFile("fragments/s0/1.frag", 17, 1_700_000);
    static final Emptied EMPTIED = new Emptied(3, 99);
    static final Garbage GARBAGE = new Garbage(List.of("fragments/s0/1.frag"), 17, "host:2 is out");

    final List<String> asked = new CopyOnWriteArrayList<>();

    @Override
    public Status status() {
      asked.add("status");
      return STATUS;
    }

    @Override
    public List<Move> balance(boolean apply) {
      asked.add("balance " + apply);
      return List.of(MOVE, LAST);
    }

    @Override
    public int drain(String address, boolean on) {
      asked.add("drain " + address + " " + on);
      return 5;
    }

    @Override
    public Move move(String table, Bytes row, String address) {
      asked.add("move " + table + " " + row + " " + address);
      return MOVE;
    }

    @Override
    public Garbage collectFiles(boolean apply) {
      asked.add("collectFiles " + apply);
      return GARBAGE;
    }

    @Override
    public List<TrashedFile> trashedFiles() {
      return List.of(TRASHED);
    }

    @Override
    public List<String> restoreFiles(String path) {
      asked.add("restoreFiles " + path);
      return List.of(TRASHED.path());
    }

    @Override
    public Emptied emptyTrash(Duration age) {
      asked.add("emptyTrash " + age);
      return EMPTIED;
    }
  }

  @Test
  void everythingArrivesAsItWasSaid() {
    FakeCluster served = new FakeCluster();
    first.serve(served);
    Cluster cluster = stele.cluster();
    assertThat(cluster.status()).isEqualTo(FakeCluster.STATUS);
    assertThat(cluster.balance(true)).containsExactly(FakeCluster.MOVE, FakeCluster.LAST);
    assertThat(cluster.balance(false)).hasSize(2);
    assertThat(cluster.drain("host:2", true)).isEqualTo(5);
    assertThat(cluster.drain("host:2", false)).isEqualTo(5);
    assertThat(cluster.move("t", bytes("b"), "host:2")).isEqualTo(FakeCluster.MOVE);
    assertThat(cluster.collectFiles(true)).isEqualTo(FakeCluster.GARBAGE);
    assertThat(cluster.trashedFiles()).containsExactly(FakeCluster.TRASHED);
    assertThat(cluster.restoreFiles("fragments")).containsExactly("fragments/s0/1.frag");
    assertThat(cluster.emptyTrash(Duration.ofHours(2))).isEqualTo(FakeCluster.EMPTIED);
    assertThat(served.asked)
        .containsExactly(
            "status",
            "balance true",
            "balance false",
            "drain host:2 true",
            "drain host:2 false",
            "move t b host:2",
            "collectFiles true",
            "restoreFiles fragments",
            "emptyTrash PT2H");
  }

  @Test
  void whoeverIsNotTheMasterNamesIt() {
    FakeCluster served = new FakeCluster();
    second.serve(served);
    second.serveAdmin(tables);
    master.set(Optional.of(second.address()));
    assertThat(stele.cluster().status()).isEqualTo(FakeCluster.STATUS);
    stele.tables().create("t", TableSchema.ofFamilies("f"), List.of());
    assertThat(tables.list(false)).containsExactly("t");
  }

  @Test
  void anotherMasterIsFound() {
    Serving cluster = first.serve(new FakeCluster());
    Serving admin = first.serveAdmin(tables);
    assertThat(stele.cluster().status()).isEqualTo(FakeCluster.STATUS);
    cluster.close();
    admin.close();
    MemoryTables others = new MemoryTables();
    others.create("other", TableSchema.ofFamilies("f"), List.of());
    second.serveAdmin(others);
    second.serve(new FakeCluster());
    master.set(Optional.of(second.address()));
    assertThat(stele.tables().list(false)).containsExactly("other");
    assertThat(stele.cluster().status()).isEqualTo(FakeCluster.STATUS);
  }

  /** A master that has lost its lock. */
  private final class Deposed extends FakeCluster {
    @Override
    public Status status() {
      first.serve(new FakeCluster());
      throw new FencedException("no longer the master");
    }

    @Override
    public Move move(String table, Bytes row, String address) {
      throw new FencedException("no longer the master");
    }
  }

  @Test
  void ofAMasterThatIsReplacedMeanwhileWhoeverLooksAsksTheNextAndChangesAreUnknown() {
    first.serve(new Deposed());
    assertThatThrownBy(() -> stele.cluster().move("t", bytes("b"), "host:2"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("master was replaced");
    assertThat(stele.cluster().status()).isEqualTo(FakeCluster.STATUS);
  }

  @Test
  void withoutAMasterItIsSaidSoWhenTheTimeIsOver() {
    try (Stele impatient =
        Stele.builder().endpoints(first.address()).timeout(Duration.ofMillis(200)).connect()) {
      // The time may also be over while an attempt is under way: then it fails in another way.
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> impatient.cluster().status())
                      .isInstanceOf(UnavailableException.class)
                      .hasMessageContaining("not the master"));
    }
  }

  @Test
  void tablesThatBeginAnewCountAnew() {
    tables.create("t", TableSchema.ofFamilies("f"), List.of());
    Serving rows = first.serveRows(tables);
    Tables client = stele.rows();
    long txn = answer(client.apply("t", batch(put("a", "f:x", 1, "1")), Tables.ANY_TXN, false));
    rows.close();
    MemoryTables next = new MemoryTables();
    next.create("t", TableSchema.ofFamilies("f"), List.of());
    first.serveRows(next);
    assertThatThrownBy(() -> answer(client.sync(txn)))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("may or may not be durable");
    assertThat(answer(client.apply("t", batch(put("a", "f:x", 1, "1")), Tables.ANY_TXN, true)))
        .isEqualTo(1);
    assertThat(next.lastTxn()).isEqualTo(1);
  }

  @Test
  void aServerByItselfTellsWhatItHas() {
    tables.create("t", TableSchema.ofFamilies("f"), List.of(bytes("m")));
    Cluster alone = new LoneServer("host:1", tables, new FakeCluster());
    assertThat(alone.status().servers()).hasSize(1);
    assertThat(alone.status().tablets()).isEqualTo(2);
    assertThat(alone.status().unserved()).isEmpty();
    assertThat(alone.balance(true)).isEmpty();
    assertThatThrownBy(() -> alone.move("t", bytes("a"), "host:2"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("by itself");
    assertThatThrownBy(() -> alone.drain("host:1", true))
        .isInstanceOf(InvalidRequestException.class);
  }
}
