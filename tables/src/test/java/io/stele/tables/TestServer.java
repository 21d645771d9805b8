package io.stele.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.SteleException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.table.TabletInfo;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.event.TableEvent;
import io.stele.tables.write.WriteSettings;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** A tablet server in which nothing happens that a test did not ask for. */
final class TestServer implements AutoCloseable {
  private static final Duration LONG = Duration.ofHours(10);

  static final CommitLogSettings LOG =
      new CommitLogSettings(1L << 20, 0, 1L << 20, Duration.ofMillis(20));

  static final TabletServerSettings SETTINGS =
      TabletServerSettings.DEFAULT
          .withWrites(WriteSettings.DEFAULT.withLog(LOG, 1L << 30))
          .withCompaction(CompactSettings.DEFAULT.withAutomatic(false))
          .withUpkeep(LONG);

  final FileStore files;
  final TabletServer server;
  final List<TableEvent> events;

  private TestServer(FileStore files, TabletServer server, List<TableEvent> events) {
    this.files = files;
    this.server = server;
    this.events = events;
  }

  /** Opens one, and waits until all tables are loaded. */
  static TestServer open(FileStore files) {
    return open(files, SETTINGS, builder -> builder);
  }

  static TestServer open(FileStore files, TabletServerSettings settings) {
    return open(files, settings, builder -> builder);
  }

  static TestServer open(
      FileStore files, TabletServerSettings settings, UnaryOperator<TabletServer.Builder> more) {
    List<TableEvent> events = new CopyOnWriteArrayList<>();
    TabletServer.Builder builder =
        TabletServer.builder(files, new FileRoot(files)).settings(settings).events(events::add);
    TestServer opened = new TestServer(files, more.apply(builder).open(), events);
    boolean loaded = false;
    try {
      opened.server.awaitLoaded();
      loaded = true;
      return opened;
    } finally {
      if (!loaded) {
        opened.abandon();
      }
    }
  }

  TableFixture table(String name) {
    return new TableFixture(server, name);
  }

  <E extends TableEvent> List<E> events(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The files that some tablet names, META's among them. */
  Set<FilePath> namedFiles() {
    Set<FilePath> named = new HashSet<>();
    for (String table : server.list(true)) {
      for (TabletInfo tablet : server.tablets(table)) {
        tablet.files().forEach(file -> named.add(FilePath.of(file.path())));
      }
    }
    return named;
  }

  Set<FilePath> fragmentFiles() {
    return new HashSet<>(below("fragments"));
  }

  List<FilePath> logFiles() {
    return below("log");
  }

  private List<FilePath> below(String directory) {
    try {
      List<FilePath> found = new ArrayList<>();
      for (FileInfo run : files.list(FilePath.of(directory))) {
        files.list(run.path()).forEach(file -> found.add(file.path()));
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** META is in order, no file is missing, and none is left that nothing names. */
  void checkFiles(String about) {
    assertThat(server.verifyMeta("")).as("%s: META", about).isEmpty();
    await()
        .alias(about)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .untilAsserted( // configurations are saved some time after a compaction
            () -> {
              server.runUpkeep();
              assertThat(fragmentFiles()).as("%s: files", about).isEqualTo(namedFiles());
              assertThat(logFiles().stream().map(FilePath::parent).distinct())
                  .as("%s: logs of earlier runs", about)
                  .hasSizeLessThanOrEqualTo(1);
            });
    assertThat(server.verifyMeta("")).as("%s: META without those files", about).isEmpty();
    assertThat(events(TableEvent.BackgroundFailed.class)).as(about).isEmpty();
  }

  /** Ends it as a crash would. */
  void abandon() {
    try {
      server.machinery().abandon();
    } catch (SteleException e) {
      // Its files are gone already.
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
