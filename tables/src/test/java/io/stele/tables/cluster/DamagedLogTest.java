package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.schema.TableSchema;
import io.stele.tables.TabletServerSettings;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.event.TableEvent;
import io.stele.tables.load.LogSalvage;
import io.stele.tables.load.LogSalvage.Damaged;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.write.WriteSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** The log of a dead server has a record that cannot be read. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class DamagedLogTest {
  private static final TableSchema SCHEMA = TableSchema.ofFamilies("f");

  /** Requests do not wait for long for a tablet that cannot be loaded. */
  private static final TabletServerSettings IMPATIENT =
      SmallCluster.QUIET.withWrites(
          WriteSettings.DEFAULT.withLimits(Duration.ofSeconds(30), Duration.ofSeconds(3)));

  private final SmallCluster cluster = new SmallCluster();
  private final Node meta = cluster.start("m:1");
  private final Node dead = cluster.start("a:1");
  private final Node next = cluster.start("b:1", IMPATIENT);
  private final LogSalvage salvage = new LogSalvage(cluster.files());

  @AfterEach
  void end() {
    cluster.close();
  }

  private List<TabletKey> load(String table) {
    cluster.create(table, SCHEMA);
    List<TabletKey> keys = cluster.keys(table);
    cluster.load(dead, keys);
    return keys;
  }

  private FileInfo log() throws IOException {
    return cluster.files().list(FilePath.of("log/" + dead.self().run())).stream()
        .filter(file -> file.path().name().endsWith(".log"))
        .findFirst()
        .orElseThrow();
  }

  private void damage(long at) throws IOException {
    cluster.files().corrupt(log().path(), 8 * at);
  }

  /** Table "early" is only in records before the damage, "late" came after it, "mixed" has all. */
  @Test
  void onlyTabletsThatMayHaveLostSomethingAreNotServedUntilTheDamageIsAccepted() throws Exception {
    cluster.bootstrap(meta);
    List<TabletKey> mixed = load("mixed");
    dead.table("mixed").apply(put("1", "f:", 1, "before"));
    long place = log().length() + 20;
    dead.table("mixed").apply(put("2", "f:", 1, "damaged"));
    List<TabletKey> late = load("late");
    dead.table("late").apply(put("1", "f:", 1, "after"));
    dead.table("mixed").apply(put("3", "f:", 1, "after"));
    assertThat(salvage.look()).isEmpty();
    damage(place);
    dead.kill();

    cluster.load(next, late);
    assertThat(cluster.all("late")).containsExactly("1/f:@1=after");
    assertThatThrownBy(() -> cluster.load(next, mixed))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("stele meta salvage");
    next.table("mixed").apply(put("4", "f:", 1, "taken all the same"));
    assertThatThrownBy(() -> next.table("mixed").row("1")).isInstanceOf(UnavailableException.class);

    Damaged found = salvage.look().getFirst();
    assertThat(found.run()).isEqualTo(dead.self().run());
    assertThat(found.salvaged()).isFalse();
    assertThat(found.damages()).hasSize(1);
    assertThat(found.records()).containsEntry("late", 1L).containsEntry("mixed", 2L);
    assertThat(salvage.accept(found.run(), "by a test").salvaged()).isTrue();

    next.server().runUpkeep();
    assertThat(cluster.all("mixed"))
        .containsExactly("1/f:@1=before", "3/f:@1=after", "4/f:@1=taken all the same");
    assertThat(next.events()).anyMatch(TableEvent.LogSalvaged.class::isInstance);
  }

  /** Without its head no record of a file can be told, nor where the log ended. */
  @Test
  void aFileWhoseHeadIsDamagedIsLostAsAWhole() throws Exception {
    cluster.bootstrap(meta);
    List<TabletKey> keys = load("t");
    dead.table("t").apply(put("1", "f:", 1, "lost"));
    damage(3);
    dead.kill();
    assertThatThrownBy(() -> cluster.load(next, keys)).isInstanceOf(CorruptDataException.class);
    Damaged found = salvage.accept(dead.self().run(), "by a test");
    assertThat(found.damages())
        .singleElement()
        .satisfies(lost -> assertThat(lost.transactions()).contains("all transactions after 0"));
    cluster.load(next, keys);
    assertThat(cluster.all("t")).isEmpty();
    assertThat(next.table("t").apply(put("2", "f:", 1, "x")))
        .as("above all that the log can have had")
        .isGreaterThan(1L << 32);
  }

  @Test
  void onlyDamageCanBeAccepted() {
    cluster.bootstrap(meta);
    load("t");
    dead.table("t").apply(put("1", "f:", 1, "x"));
    assertThatThrownBy(() -> salvage.accept(dead.self().run(), ""))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("is not damaged");
    assertThatThrownBy(() -> salvage.accept("s9", ""))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("there is no log \"s9\"");
  }
}
