package io.stele.tables;

import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.engine.cache.BlockCache;
import io.stele.tables.tablet.TabletView;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** "It will try to keep all of the fragment blocks for that group in the cache at all times." */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class GroupsInMemoryTest {
  private static final int ROWS = 50;
  private static final long LEAST = ROWS * 1000L; // bytes of values

  private final MemoryFileStore files = new MemoryFileStore();
  private BlockCache cache = new BlockCache(16 << 20);
  private TestServer opened = open(Duration.ofHours(1));

  @AfterEach
  void end() {
    opened.abandon();
  }

  private TestServer open(Duration idle) {
    return TestServer.open(
        files, TestServer.SETTINGS.withTabletIdle(idle), builder -> builder.cache(cache));
  }

  private static TableSchema schema(boolean x, boolean y) {
    return TableSchema.of(
        GroupSchema.of("X", "a").withInMemory(x), GroupSchema.of("Y", "b").withInMemory(y));
  }

  private void create(TableSchema schema, String... splits) {
    opened.server.create("t", schema, Stream.of(splits).map(TableFixture::bytes).toList());
    if (schema.groups().stream().anyMatch(GroupSchema::inMemory)) {
      await()
          .until(
              () ->
                  opened.server.machinery().tables().get("t").view().tablets().stream()
                      .allMatch(TabletView::isWarm));
    }
  }

  private void write(long timestamp) {
    for (int i = 0; i < ROWS; i++) {
      String row = row(i);
      opened.table("t").apply(put(row, "a:", timestamp, "x".repeat(1000)), put(row, "b:", 1, "y"));
    }
    opened.server.flush("t");
  }

  private static String row(int i) {
    return "row%02d".formatted(i);
  }

  /** How often a read of family {@code a} of all rows goes to the files. */
  private long misses() {
    long before = cache.stats().misses();
    for (int i = 0; i < ROWS; i++) {
      assertThat(
              opened
                  .table("t")
                  .read(
                      ReadPredicate.rows(RowRange.row(bytes(row(i))))
                          .withColumns(ColumnRange.family(bytes("a")))))
          .isNotEmpty();
    }
    return cache.stats().misses() - before;
  }

  private void awaitResident(long bytes) {
    await().until(() -> cache.stats().residentWeight() >= bytes);
  }

  @Test
  void whatWasFlushedOrCompactedIsReadWithoutAFile() {
    create(schema(true, false));
    write(1);
    assertThat(misses()).isZero();
    write(2);
    assertThat(misses()).as("after a second flush").isZero();
    opened.server.compact("t");
    assertThat(misses()).as("after a compaction").isZero();
  }

  @Test
  void aRestartReadsThemBeforeAnybodyElseDoes() {
    create(schema(true, false), "row25");
    write(1);
    long all = cache.stats().residentWeight();
    opened.close();
    cache = new BlockCache(16 << 20);
    opened = open(Duration.ofHours(1));
    awaitResident(all);
    assertThat(misses()).isZero();
  }

  @Test
  void theyStayThoughNobodyReadsThem() {
    create(schema(true, false));
    write(1);
    long all = cache.stats().residentWeight();
    opened.close();
    opened = open(Duration.ZERO);
    awaitResident(all);
    opened.server.runUpkeep();
    assertThat(misses()).isZero();
  }

  /** "Priorities 1-3 are all eligible for preloading. Priority 4 will only be loaded on-demand." */
  @Test
  void aChangeOfSchemaReadsThemOrLetsThemGo() {
    create(schema(false, false));
    write(1);
    assertThat(misses()).isPositive();
    assertThat(cache.stats().residentWeight()).isZero();
    opened.server.alter("t", schema(true, false));
    awaitResident(LEAST);
    assertThat(misses()).isZero();
    opened.server.alter("t", schema(false, true));
    assertThat(cache.stats().residentWeight()).as("only the other group's").isLessThan(LEAST);
    opened.server.alter(
        "t", TableSchema.of(GroupSchema.of("X", "b").withInMemory(true), GroupSchema.of("Y", "a")));
    opened.server.compact("t");
    assertThat(cache.stats().residentWeight()).isBetween(1L, LEAST);
  }
}
