package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.schema.TableSchema;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.TabletServerSettings;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaTable.Change;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.write.WriteSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Tablets that leave a server, and what is remembered of them when they come back. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class LeavingTabletsTest {
  private static final int FEW_BYTES = 4 << 10;

  /** Log files of a few records, so that they can be released. */
  private static final TabletServerSettings SMALL_LOGS =
      SmallCluster.QUIET.withWrites(
          WriteSettings.DEFAULT.withLog(
              new CommitLogSettings(FEW_BYTES, 0, 1L << 20, Duration.ofMillis(20)), 1L << 30));

  private final SmallCluster cluster = new SmallCluster();
  private final Node meta = cluster.start("m:1");

  @AfterEach
  void end() {
    cluster.close();
  }

  private List<TabletKey> load(Node node, String table) {
    cluster.create(table, TableSchema.ofFamilies("f"));
    List<TabletKey> keys = cluster.keys(table);
    cluster.load(node, keys);
    return keys;
  }

  private List<FilePath> logFiles(Node node) {
    try {
      return cluster.files().list(FilePath.of("log/" + node.self().run())).stream()
          .map(FileInfo::path)
          .filter(path -> path.name().endsWith(".log"))
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * A flush puts its file in place, and META is away when the configuration that names it is to be
   * saved. The tablet is told to leave; its server dies before META knows. The log was once let go
   * with the save, which had nothing to say of a tablet that takes no part in anything any more.
   */
  @Test
  void aTabletThatLeavesWhileItsConfigurationWaitsKeepsItsLog() {
    cluster.bootstrap(meta);
    Node owner = cluster.start("a:1", SMALL_LOGS);
    List<TabletKey> keys = load(owner, "t");
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String row = "%05d".formatted(i);
      owner.table("t").apply(put(row, "f:", 1, "x".repeat(500)));
      written.add(row);
    }
    cluster.unload(meta, cluster.keys(TableNames.META1)); // saves wait from now on
    owner.server().flush("t");
    assertThat(logFiles(owner)).hasSizeGreaterThan(3);
    assertThatThrownBy(() -> cluster.unload(owner, keys))
        .as("META cannot be told")
        .isInstanceOf(SteleException.class);
    owner.kill();
    cluster.load(meta, List.of(new TabletKey(TableNames.META1, Optional.empty())));
    Node next = cluster.start("b:1");
    cluster.loadAgain(next, keys);
    assertThat(cluster.all("t").stream().map(cell -> cell.substring(0, 5))).isEqualTo(written);
  }

  private static boolean serves(Node node, String table) {
    try {
      return !node.server().tablets(table).isEmpty();
    } catch (NotServingException e) {
      return false;
    }
  }

  /**
   * A server remembers that a row was changed by transaction 50. Elsewhere it is changed by 1001,
   * after somebody read it at 1000; back here, that one must not overwrite it.
   */
  @Test
  void aRowThatWasChangedElsewhereIsNotTakenForTheOldOne() {
    cluster.bootstrap(meta);
    Node a = cluster.start("a:1");
    Node b = cluster.start("b:1");
    List<TabletKey> keys = load(a, "t");
    a.table("t").apply(put("row", "f:", 1, "first"));
    cluster.move(a, b, keys);
    for (int i = 0; i < 10; i++) {
      b.table("t").apply(put("another", "f:", i, "x"));
    }
    long read = answer(b.server().sync(Long.MAX_VALUE));
    b.table("t").apply(put("row", "f:", 2, "second"));
    cluster.move(b, a, keys);
    assertThatThrownBy(
            () -> answer(a.server().apply("t", batch(put("row", "f:", 3, "third")), read, true)))
        .isInstanceOf(ConflictException.class);
    long now = answer(a.server().sync(Long.MAX_VALUE));
    long after = answer(a.server().apply("t", batch(put("row", "f:", 3, "third")), now, true));
    assertThat(after).isGreaterThan(now);
  }

  /**
   * META says that the tablet is nobody's, as after a departure whose answer was lost. What a flush
   * would save of it is refused for good, and must not keep the log for ever.
   */
  @Test
  void aTabletThatIsLostHoldsNoLog() {
    cluster.bootstrap(meta);
    Node a = cluster.start("a:1", SMALL_LOGS);
    List<TabletKey> keys = load(a, "t");
    load(a, "other");
    a.table("t").apply(put("row", "f:", 1, "x"));
    TabletConfig left =
        cluster.meta().tablet(keys.getFirst()).orElseThrow().withServer("", List.of());
    Futures.await(cluster.meta().apply(MetaLevel.META1, new Change(List.of(left), List.of())));
    a.server().flush("t");
    await("that the tablet is given up").until(() -> !serves(a, "t"));
    for (int i = 0; i < 40; i++) {
      a.table("other").apply(put("%05d".formatted(i), "f:", 1, "x".repeat(500)));
    }
    assertThat(logFiles(a)).hasSizeGreaterThan(3);
    await("that the log is let go")
        .until(
            () -> {
              a.server().flush("other");
              a.table("other").apply(put("1", "f:", 1, "x"));
              return logFiles(a).size() <= 2;
            });
  }

  /**
   * META is away, and a tablet is to be split. The split once held the locks of flushes and
   * compactions until META took what waited for it, which may need just these to come back.
   */
  @Test
  void aSplitThatWaitsForMetaKeepsNobodyElseWaiting() throws Exception {
    cluster.bootstrap(meta);
    Node a = cluster.start("a:1");
    load(a, "t");
    for (int i = 0; i < 10; i++) {
      a.table("t").apply(put("%05d".formatted(i), "f:", 1, "x"));
    }
    cluster.unload(meta, cluster.keys(TableNames.META1));
    a.server().flush("t"); // what it is to save waits
    CompletableFuture<Throwable> split =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                a.server().split("t", Bytes.utf8("00005"), Bytes.utf8("00005"));
                return new AssertionError("split without META");
              } catch (SteleException e) {
                return e;
              }
            },
            Thread::startVirtualThread);
    a.table("t").apply(put("00020", "f:", 1, "x"));
    CompletableFuture<Void> flush =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 20; i++) {
                a.server().flush("t");
                a.server().compact("t");
              }
            },
            Thread::startVirtualThread);
    flush.get(60, TimeUnit.SECONDS);
    assertThat(split.get(60, TimeUnit.SECONDS)).isInstanceOf(UnavailableException.class);
  }
}
