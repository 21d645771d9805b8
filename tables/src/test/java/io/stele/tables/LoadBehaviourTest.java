package io.stele.tables;

import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.RowSample;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.event.TableEvent;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** How tablets come to a server, stay there and leave. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class LoadBehaviourTest {
  private MemoryFileStore files = new MemoryFileStore();
  private TestServer opened = TestServer.open(files);

  @AfterEach
  void end() {
    opened.abandon();
  }

  private void crash() {
    files = files.crash(CrashMode.dropUnsynced());
    opened.abandon();
  }

  private TableFixture fill(int rows) {
    opened.server.create("t", TableSchema.ofFamilies("f"), List.of(bytes("r100")));
    TableFixture table = opened.table("t");
    for (int i = 0; i < rows; i++) {
      table.apply(put("r%03d".formatted(i), "f:", 1, "v".repeat(200)));
    }
    return table;
  }

  /** "Replay options; log larger than memory." */
  @Test
  void aLogThatIsLargerThanMemoryIsReplayedInPieces() {
    fill(200);
    crash();
    opened = TestServer.open(files, TestServer.SETTINGS.withReplayBytes(5_000));
    assertThat(opened.table("t").all()).hasSize(200);
    assertThat(opened.server.tablets("t").getFirst().files()).hasSizeGreaterThan(3);
    assertThat(opened.events(TableEvent.Started.class).getFirst().replayed())
        .isGreaterThanOrEqualTo(200);
    opened.server.compact("t");
    assertThat(opened.table("t").all()).hasSize(200);
    opened.checkFiles("after the replay");
  }

  /** "Replay twice same": what a server that crashed again had replayed counts once. */
  @Test
  void aLogThatIsReplayedAgainSaysTheSame() {
    TableFixture table = fill(50);
    table.apply(Cell.eraseRow(bytes("r007")));
    table.apply(put("r007", "f:", 1, "written again"));
    List<String> expected = table.all();
    for (int i = 0; i < 4; i++) {
      crash();
      opened = TestServer.open(files);
      assertThat(opened.table("t").all()).isEqualTo(expected);
    }
    opened.checkFiles("after four crashes");
  }

  /** "Unload: reload elsewhere, no replay." */
  @Test
  void aTableThatWasUnloadedIsLoadedWithoutALog() {
    fill(50);
    opened.server.unloadTable("t");
    opened.server.loadTable("t");
    assertThat(opened.events(TableEvent.Loaded.class).getLast().replayed()).isZero();
    assertThat(opened.table("t").all()).hasSize(50);
    opened.close();
    opened = TestServer.open(files);
    assertThat(opened.events(TableEvent.Started.class).getFirst().replayed()).isZero();
    assertThat(opened.table("t").all()).hasSize(50);
  }

  /** "Probe location: live other host → abort." */
  @Test
  void aTabletThatAnotherServerHasIsNotLoaded() {
    fill(5);
    crash();
    TabletServer second =
        TabletServer.builder(files, new FileRoot(files))
            .settings(TestServer.SETTINGS)
            .address("second")
            .probe(tablet -> tablet.table().equals("t"))
            .open();
    try {
      assertThatThrownBy(second::awaitLoaded)
          .hasCauseInstanceOf(ConflictException.class)
          .hasMessageContaining("local");
      assertThat(second.tablets("t")).isEmpty();
      second.runUpkeep(); // must not delete what the other has
    } finally {
      second.machinery().abandon();
    }
    opened = TestServer.open(files);
    assertThat(opened.table("t").all()).hasSize(5);
  }

  /** "Lazy load/drop: assigned but cold; evicted when idle; first read loads." */
  @Test
  void filesAreOpenedWithTheFirstReadAndClosedWhenIdle() {
    fill(150);
    opened.close();
    opened = TestServer.open(files, TestServer.SETTINGS.withTabletIdle(Duration.ZERO));
    long before = files.calls(StoreCall.OPEN);
    opened.table("t").apply(put("r000", "f:", 2, "writes need no files"));
    assertThat(files.calls(StoreCall.OPEN)).isEqualTo(before);
    assertThat(opened.table("t").row("r001")).hasSize(1);
    long one = files.calls(StoreCall.OPEN);
    assertThat(one).isGreaterThan(before);
    opened.server.runUpkeep();
    long idle = files.calls(StoreCall.OPEN);
    assertThat(opened.table("t").row("r001")).hasSize(1);
    assertThat(files.calls(StoreCall.OPEN)).as("opened again").isGreaterThan(idle);
    assertThat(opened.table("t").all()).hasSize(151);
  }

  // ---- fixed tables

  /** "loadFixedTable: file config; never moved or split." */
  @Test
  void aFixedTableKeepsItsConfigurationInAFileAndIsNeverSplit() {
    CompactSettings eager = CompactSettings.DEFAULT.withSizes(1_000, 100).withAutomatic(true);
    opened.close();
    opened = TestServer.open(files, TestServer.SETTINGS.withCompaction(eager));
    opened.server.loadFixedTable("fixed", "fixed.config");
    TableFixture fixed = opened.table("fixed");
    for (int i = 0; i < 100; i++) {
      fixed.apply(put("r%03d".formatted(i), "any:", 1, "v".repeat(100)));
    }
    opened.server.flush("fixed");
    opened.server.runUpkeep();
    assertThat(opened.server.tablets("fixed")).hasSize(1);
    assertThatThrownBy(() -> opened.server.split("fixed", bytes("r050"), bytes("r050")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("fixed");
    assertThatThrownBy(() -> opened.server.drop("fixed"))
        .isInstanceOf(InvalidRequestException.class);
    fixed.apply(put("new", "any:", 1, "in the log"));
    crash();
    opened = TestServer.open(files);
    opened.server.runUpkeep(); // before anybody has asked for the table
    opened.server.runUpkeep();
    opened.server.loadFixedTable("fixed", "fixed.config");
    assertThat(opened.table("fixed").all()).hasSize(101);
    opened.close();
    opened = TestServer.open(files);
    opened.server.runUpkeep();
    opened.server.loadFixedTable("fixed", "fixed.config");
    assertThat(opened.table("fixed").all()).hasSize(101);
  }

  /** "Servers load tables given on the command line before doing anything else." */
  @Test
  void fixedTablesOfTheSettingsAreLoadedFirst() {
    TabletServerSettings settings =
        TestServer.SETTINGS.withFixed(Map.of("fixed", "fixed.config", "damaged", "SERVER"));
    fill(5);
    opened.close();
    opened = TestServer.open(files, settings);
    opened.table("fixed").apply(put("row", "any:", 1, "in the log"));
    assertThatThrownBy(() -> opened.table("damaged").all())
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("\"damaged\"")
        .hasMessageContaining("SERVER");
    crash();
    opened = TestServer.open(files, settings);
    assertThat(opened.events(TableEvent.Loaded.class).getFirst().tablet()).contains("\"fixed\"");
    assertThat(opened.table("fixed").all()).hasSize(1);
    assertThat(opened.table("t").all()).as("others are served").hasSize(5);
    opened.server.flush("fixed");
    opened.server.runUpkeep();
    opened.close();
    opened = TestServer.open(files, settings);
    assertThat(opened.table("fixed").all()).hasSize(1);
  }

  /** A fixed table and one of META are not mixed up. */
  @Test
  void aFixedTableIsNotOneThatMetaHas() {
    fill(5);
    opened.close();
    opened = TestServer.open(files, TestServer.SETTINGS.withFixed(Map.of("t", "fixed.config")));
    assertThat(opened.table("t").all()).isEmpty();
    assertThat(opened.events(TableEvent.BackgroundFailed.class))
        .singleElement()
        .satisfies(event -> assertThat(event.cause()).hasMessageContaining("\"t\" is in META"));
    opened.close();
    opened = TestServer.open(files);
    assertThat(opened.table("t").all()).hasSize(5);
  }

  /** Until its last configuration is saved, a tablet that is leaving has not left. */
  @Test
  void anUnloadWhoseConfigurationCouldNotBeSavedIsDoneAgainAndLosesNothing() {
    opened.server.loadFixedTable("fixed", "fixed.config");
    opened.table("fixed").apply(put("row", "any:", 1, "in memory and in the log"));
    files.failFrom(StoreCall.REPLACE, 1, () -> new IOException("no space left"));
    assertThatThrownBy(() -> opened.server.unloadTable("fixed"))
        .isInstanceOf(UnavailableException.class);
    files.clearFailures();
    opened.server.unloadTable("fixed");
    opened.server.loadFixedTable("fixed", "fixed.config");
    assertThat(opened.table("fixed").all()).hasSize(1);
  }

  // ---- splits and sizes

  /** "Split/Join triggers: size event": by itself, and the data stays. */
  @Test
  void aTabletThatBecomesLargeIsSplitByItself() {
    opened.close();
    opened =
        TestServer.open(
            files,
            TestServer.SETTINGS.withCompaction(
                CompactSettings.DEFAULT.withSizes(10_000, 100).withAutomatic(true)));
    opened.server.create("t", TableSchema.ofFamilies("f"), List.of());
    for (int i = 0; i < 300; i++) {
      StringBuilder value = new StringBuilder();
      for (int j = 0; j < 12; j++) {
        value.append(Long.toHexString((i * 12L + j) * 0x9e3779b97f4a7c15L)); // hard to compress
      }
      opened.table("t").apply(put("r%03d".formatted(i), "f:", 1, value.toString()));
    }
    assertThat(opened.table("t").row("r000")).hasSize(1); // its files are looked at from now on
    opened.server.flush("t");
    await().until(() -> opened.server.tablets("t").size() >= 2);
    assertThat(opened.table("t").all()).hasSize(300);
    assertThat(opened.server.verifyMeta("")).isEmpty();
    List<RowSample> samples = opened.server.sampleRows("t");
    assertThat(samples.getLast().row().isEmpty()).isTrue();
    assertThat(samples).isSortedAccordingTo((a, b) -> Long.compare(a.offset(), b.offset()));
    crash();
    opened = TestServer.open(files);
    assertThat(opened.table("t").all()).hasSize(300);
    opened.checkFiles("after a crash");
  }

  private static final String HARD_TO_COMPRESS = "0f9a1c7e5b3d8264a0e6f2c4";

  private void fillForSplits() {
    opened.server.create("t", TableSchema.ofFamilies("f"), List.of());
    for (int i = 0; i < 100; i++) {
      opened.table("t").apply(put("r%03d".formatted(i), "f:" + i, 1, HARD_TO_COMPRESS.repeat(3)));
    }
    opened.server.flush("t");
  }

  /** "Check for splits after completing a Tablet load", though nobody has read the tablet. */
  @Test
  void aTabletThatIsTooLargeWhenItIsLoadedIsSplit() {
    fillForSplits();
    opened.close();
    opened = TestServer.open(files, TestServer.SETTINGS.withCompaction(splitting(500)));
    await().until(() -> opened.server.tablets("t").size() >= 2);
    assertThat(opened.table("t").all()).hasSize(100);
    assertThat(opened.server.verifyMeta("")).isEmpty();
  }

  /** "Check for splits after a Table schema change", though nobody has read the tablet. */
  @Test
  void aTabletThatIsTooLargeWhenItsSchemaChangesIsSplit() throws IOException {
    fillForSplits();
    FilePath file = FilePath.of(opened.server.tablets("t").getFirst().files().getFirst().path());
    FilePath away = FilePath.of("away");
    opened.close();
    files.rename(file, away);
    opened = TestServer.open(files, TestServer.SETTINGS.withCompaction(splitting(500)));
    opened.server.runUpkeep();
    assertThat(opened.server.tablets("t")).as("its size is not known").hasSize(1);
    files.rename(away, file);
    opened.server.alter("t", TableSchema.ofFamilies("f", "g"));
    await().until(() -> opened.server.tablets("t").size() >= 2);
    assertThat(opened.table("t").all()).hasSize(100);
  }

  private static CompactSettings splitting(long bytes) {
    return CompactSettings.DEFAULT.withSizes(bytes, 0).withAutomatic(true);
  }
}
