package io.stele.tables.compact;

import static io.stele.tables.compact.TestTable.bytes;
import static io.stele.tables.compact.TestTable.put;
import static io.stele.tables.compact.TestTable.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.StoreCall;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.tables.compact.TestTable.Fate;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletListener;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Splits; sentences in quotes are from the design notes of META. */
class SplitterTest {
  private final TestTable t = new TestTable();
  private final Compactor compactor = compactor(t);
  private final Splitter splitter = splitter(t, compactor, CompactSettings.DEFAULT);

  static Compactor compactor(TestTable t) {
    return new Compactor(
        t.server, t, () -> List.of(t.table), t.warmer::warm, () -> false, CompactSettings.DEFAULT);
  }

  static Splitter splitter(TestTable t, Compactor compactor, CompactSettings settings) {
    SwapGuard guard =
        new SwapGuard() {
          @Override
          public <T> T excluding(Table table, Supplier<T> action) {
            return compactor.pausing(action);
          }
        };
    return new Splitter(
        t.server, settings, new TabletSizes(t.files), t, t, guard, t::configOf, t.warmer::warm);
  }

  @AfterEach
  void close() {
    compactor.close();
    t.close();
  }

  private Tablet hundredRows() {
    return t.add("", "!", t.write(rows(0, 100, 1)));
  }

  private Bytes split(Tablet tablet, String at) {
    return splitter.split(t.table, tablet, Optional.of(bytes(at)));
  }

  private static String row(int number) {
    return "%06d".formatted(number);
  }

  /** "When the split cells are created, the files=[] section will be the same." */
  @Test
  void bothHalvesHaveAllFilesAndMetaHasBothRows() {
    Tablet tablet = hundredRows();
    FilePath file = t.chain(tablet).getFirst();
    t.listen();
    assertThat(split(tablet, row(29))).isEqualTo(bytes(row(29)));
    assertThat(t.tablets()).containsExactly("(, 000029]", "(000029, !]");
    assertThat(t.metaTablets()).containsExactlyInAnyOrder("(, 000029]", "(000029, !]");
    assertThat(t.meta.values())
        .extracting(TabletConfig::fragments)
        .containsOnly(t.view(tablet).files());
    assertThat(t.table.graph().uses(file)).isEqualTo(2);
    TabletView upper = t.view(tablet);
    assertThat(upper.first()).as("the upper half keeps its identity").isEqualTo(bytes(row(29)));
    assertThat(t.told).containsExactly("rows " + upper.range());
    assertThat(t.events)
        .filteredOn(TableEvent.Split.class::isInstance)
        .singleElement()
        .asString()
        .contains("000029");
    assertThat(t.readAll()).hasSize(100);
    assertThat(t.read(tablet)).hasSize(70);
  }

  @Test
  void theFilesOfHalvesAreFreedWithTheLastOfThem() {
    Tablet upper = hundredRows();
    FilePath file = t.chain(upper).getFirst();
    split(upper, row(49));
    Tablet lower = t.table.view().tablets().getFirst().tablet();
    compactor.compactAll(t.table);
    assertThat(t.table.graph().uses(file)).isZero();
    assertThat(t.table.graph().openFiles()).doesNotContain(file);
    assertThat(t.chain(lower)).doesNotContainAnyElementsOf(t.chain(upper));
    assertThat(t.readAll()).hasSize(100);
  }

  @Test
  void anyNumberOfSplitsKeepsEveryRow() {
    Tablet tablet = t.add("", "!", t.write(rows(0, 60, 1)), t.write(rows(30, 100, 2)));
    List<String> before = t.readAll();
    for (int i = 5; i < 95; i += 10) {
      split(t.table.view().find(bytes(row(i))).orElseThrow().tablet(), row(i));
      assertThat(t.readAll()).isEqualTo(before);
    }
    assertThat(t.tablets()).hasSize(10).doesNotHaveDuplicates();
    assertThat(t.view(tablet).first()).isEqualTo(bytes(row(85)));
    t.chain(tablet).forEach(file -> assertThat(t.table.graph().uses(file)).isEqualTo(10));
  }

  /**
   * "If something breaks .. the initiating server .. will have to pretend the split didn't happen."
   */
  @Test
  void aSplitThatMetaLostHasNotHappened() {
    Tablet tablet = hundredRows();
    FilePath file = t.chain(tablet).getFirst();
    t.fates.add(Fate.LOST);
    t.listen();
    assertThatThrownBy(() -> split(tablet, row(29)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("stay as they are")
        .hasMessageContaining("META does not answer");
    assertUnsplit(tablet, file);
    assertThat(t.told).isEmpty();
    split(tablet, row(29));
    assertThat(t.tablets()).hasSize(2);
  }

  private void assertUnsplit(Tablet tablet, FilePath file) {
    assertThat(t.tablets()).containsExactly("(, !]");
    assertThat(t.metaTablets()).containsExactly("(, !]");
    assertThat(t.table.graph().uses(file)).isEqualTo(1);
    assertThat(t.read(tablet)).hasSize(100);
  }

  @Test
  void whatMetaTookWithoutSayingSoIsTakenBack() {
    Tablet tablet = hundredRows();
    t.fates.add(Fate.WRITTEN_BUT_UNKNOWN);
    assertThatThrownBy(() -> split(tablet, row(29))).isInstanceOf(UnavailableException.class);
    assertUnsplit(tablet, t.chain(tablet).getFirst());
  }

  @Test
  void takingBackIsTriedAgainUntilMetaAnswersAndNothingIsChangedBefore() {
    Tablet tablet = hundredRows();
    t.fates.addAll(
        List.of(
            Fate.WRITTEN_BUT_UNKNOWN, // the split
            Fate.LOST, // taking it back
            Fate.LOST)); // taking it back, before the next split
    assertThatThrownBy(() -> split(tablet, row(29))).isInstanceOf(UnavailableException.class);
    assertThat(t.metaTablets()).hasSize(2);
    assertThatThrownBy(() -> split(tablet, row(40)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("earlier change");
    assertThat(t.tablets()).hasSize(1);
    assertThat(t.events).filteredOn(TableEvent.BackgroundFailed.class::isInstance).hasSize(2);
    splitter.check(t.table);
    assertUnsplit(tablet, t.chain(tablet).getFirst());
  }

  @Test
  void takingBackSparesARowThatIsATabletsByNow() {
    Tablet tablet = hundredRows();
    t.fates.addAll(List.of(Fate.WRITTEN_BUT_UNKNOWN, Fate.WRITTEN_BUT_UNKNOWN));
    assertThatThrownBy(() -> split(tablet, row(29))).isInstanceOf(UnavailableException.class);
    split(tablet, row(29));
    splitter.check(t.table);
    assertThat(t.metaTablets()).containsExactlyInAnyOrder("(, 000029]", "(000029, !]");
  }

  /** One that nothing excludes, with something that happens when META has first been told. */
  private Splitter interrupted(Runnable happens) {
    AtomicBoolean happened = new AtomicBoolean();
    SplitConfigs saved =
        (table, written, erased, inPlace) ->
            t.save(
                table,
                written,
                erased,
                () -> {
                  if (!happened.getAndSet(true)) {
                    happens.run();
                  }
                  inPlace.run();
                });
    return new Splitter(
        t.server,
        CompactSettings.DEFAULT,
        new TabletSizes(t.files),
        t,
        saved,
        new SwapGuard() {
          @Override
          public <T> T excluding(Table table, Supplier<T> action) {
            return action.get();
          }
        },
        t::configOf,
        t.warmer::warm);
  }

  @Test
  void aTabletThatLeavesWhileMetaIsToldIsNotSplit() {
    Tablet tablet = hundredRows();
    Splitter other = interrupted(() -> t.setState(tablet, TabletState.READ_ONLY));
    assertThatThrownBy(() -> other.split(t.table, tablet, Optional.of(bytes(row(29)))))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("changed while META was told");
    assertThat(t.metaTablets()).containsExactly("(, !]");
    assertThat(t.tablets()).containsExactly("(, !]");
  }

  @Test
  void theOutputOfACompactionDuringASplitIsDiscarded() {
    Tablet tablet = t.add("", "!", t.write(rows(0, 60, 1)), t.write(rows(40, 100, 2)));
    t.beforeNextFile(() -> split(tablet, row(49)));
    compactor.compactAll(t.table);
    assertThat(t.events)
        .filteredOn(TableEvent.Compacted.class::isInstance)
        .extracting(event -> ((TableEvent.Compacted) event).kept())
        .containsExactly(false, true, true);
    Tablet lower = t.table.view().tablets().getFirst().tablet();
    assertThat(t.stored(lower)).hasSize(50);
    assertThat(t.stored(tablet)).as("no row of the lower half").hasSize(50);
    assertThat(t.fileCount()).as("two inputs, two outputs").isEqualTo(4);
  }

  @Test
  void aReaderOfTheOldViewReadsOnWhileBothHalvesAreCompacted() {
    Tablet tablet = hundredRows();
    FilePath file = t.chain(tablet).getFirst();
    try (Borrowed borrowed = t.table.borrow()) {
      split(tablet, row(49));
      compactor.compactAll(t.table);
      assertThat(t.read(borrowed.view(), borrowed.view().find(tablet).orElseThrow())).hasSize(100);
      assertThat(t.table.graph().openFiles()).contains(file);
    }
    assertThat(t.table.graph().openFiles()).doesNotContain(file);
  }

  @Test
  void metaIsToldOfFilesThatCameWhileItWasTold() {
    Tablet tablet = hundredRows();
    Splitter other = interrupted(() -> t.flush(put(row(10), "new", 9), put(row(90), "new", 9)));
    other.split(t.table, tablet, Optional.of(bytes(row(49))));
    assertThat(t.asyncSaves).containsExactly("(, 000049]", "(000049, !]");
    assertThat(t.readAll()).contains(row(10) + "=new", row(90) + "=new").hasSize(100);
  }

  /** Such as that of a tablet whose log has just been read: nothing keeps it from being asked. */
  @Test
  void aSaveThatWaitsBehindASplitDoesNotUndoIt() {
    Tablet tablet = hundredRows();
    t.savedNext.add(tablet);
    split(tablet, row(49));
    assertThat(t.metaTablets()).containsExactlyInAnyOrder("(, 000049]", "(000049, !]");
  }

  @Test
  void aColdTabletIsWarmedToBeSplit() {
    Tablet tablet = hundredRows();
    t.clock.advance(Duration.ofMinutes(10));
    t.warmer.cool(t.table, 1);
    assertThat(t.view(tablet).isWarm()).isFalse();
    split(tablet, row(10));
    assertThat(t.readAll()).hasSize(100);
  }

  private void coolAll() {
    t.clock.advance(Duration.ofMinutes(10));
    t.warmer.cool(t.table, 1);
    assertThat(t.table.view().tablets()).noneMatch(TabletView::isWarm);
  }

  /** "Check for splits after completing a Tablet load": a tablet that was loaded is cold. */
  @Test
  void aColdTabletThatIsTooLargeIsSplit() {
    hundredRows();
    coolAll();
    splitter(t, compactor, CompactSettings.DEFAULT.withSizes(4_000, 0)).check(t.table);
    assertThat(t.tablets()).hasSizeGreaterThan(1);
    assertThat(t.metaTablets()).containsExactlyInAnyOrderElementsOf(t.tablets());
    assertThat(t.readAll()).hasSize(100);
  }

  /** Its files are too large because others share them: that is found out once. */
  @Test
  void aColdTabletWithFilesOfOthersIsOpenedOnceToBeMeasured() {
    FilePath shared = t.write(rows(0, 200, 1));
    Tablet few = t.add("", row(9), shared);
    coolAll();
    Splitter sized = splitter(t, compactor, CompactSettings.DEFAULT.withSizes(4_000, 0));
    long before = t.memory.calls(StoreCall.OPEN);
    sized.check(t.table);
    long measured = t.memory.calls(StoreCall.OPEN);
    assertThat(measured).isGreaterThan(before);
    assertThat(t.tablets()).hasSize(1);
    coolAll();
    sized.check(t.table);
    assertThat(t.memory.calls(StoreCall.OPEN)).as("measured before").isEqualTo(measured);
    t.flush(rows(0, 5, 2));
    coolAll();
    sized.check(t.table);
    assertThat(t.view(few).isWarm()).as("it has another file").isTrue();
  }

  @Test
  void aColdTabletThatIsSmallIsNotOpened() {
    hundredRows();
    coolAll();
    long before = t.memory.calls(StoreCall.OPEN);
    splitter.check(t.table);
    assertThat(t.memory.calls(StoreCall.OPEN)).isEqualTo(before);
  }

  // ---- what is refused

  @Test
  void aRowOutsideOfTheTabletIsRefused() {
    Tablet tablet = t.add("b", "k", t.write(put("c", "1", 1), put("d", "1", 1)));
    for (String at : List.of("a", "b", "k", "x", "")) {
      assertThatThrownBy(() -> split(tablet, at))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("must be behind \"b\" and before \"k\"");
    }
    assertThat(t.tablets()).hasSize(1);
  }

  @Test
  void aRowThatIsTooLongToEndATabletIsRefused() {
    Tablet tablet = hundredRows();
    assertThatThrownBy(() -> split(tablet, "0" + "x".repeat(65_000)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("65001 bytes");
  }

  @Test
  void metaZeroAndFixedTablesAreNeverSplitOrJoined() {
    CompactSettings tiny = CompactSettings.DEFAULT.withSizes(100, 50).withJoinAge(Duration.ZERO);
    for (TestTable fixed :
        List.of(
            new TestTable("META0", TableSchema.ofFamilies("f"), Optional.empty()),
            new TestTable(
                "fixed", TableSchema.ofFamilies("f"), Optional.of(FilePath.of("fixed/conf"))))) {
      Tablet tablet = fixed.add("", "!", fixed.write(rows(0, 100, 1)));
      Compactor own = compactor(fixed);
      Splitter never = splitter(fixed, own, tiny);
      assertThatThrownBy(() -> never.split(fixed.table, tablet, Optional.empty()))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("\"" + fixed.table.name() + "\" cannot be split");
      assertThatThrownBy(() -> never.join(fixed.table, tablet))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("cannot be joined");
      never.check(fixed.table);
      assertThat(fixed.tablets()).as("too large, and left so").containsExactly("(, !]");
      own.close();
      fixed.close();
    }
  }

  @Test
  void onlyAnActiveTabletIsSplit() {
    Tablet tablet = hundredRows();
    for (TabletState state : TabletState.values()) {
      if (state != TabletState.ACTIVE && state != TabletState.UNKNOWN) {
        t.setState(tablet, state);
        assertThatThrownBy(() -> split(tablet, row(29)))
            .isInstanceOf(NotServingException.class)
            .hasMessageContaining(state.text());
      }
    }
    assertThatThrownBy(() -> split(new Tablet("t"), row(29)))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("no longer here");
    assertThat(t.tablets()).hasSize(1);
  }

  /** "Both split cells are in one META tablet" holds only if META splits at existing row keys. */
  @Test
  void metaOneIsSplitOnlyAtRowsThatItHas() {
    try (TestTable meta = new TestTable("META1", TableSchema.ofFamilies("f"), Optional.empty());
        Compactor own = compactor(meta)) {
      Splitter splits = splitter(meta, own, CompactSettings.DEFAULT);
      Bytes last = MetaRows.tablet("users", Optional.of(bytes("k")));
      Bytes end = MetaRows.tablet("users", Optional.empty());
      Tablet tablet =
          meta.add(
              "",
              "!",
              meta.write(
                  Cell.put(last, TestTable.FAMILY, Bytes.EMPTY, 5, Bytes.EMPTY).withTxn(1),
                  Cell.put(end, TestTable.FAMILY, Bytes.EMPTY, 5, Bytes.EMPTY).withTxn(1)));
      Bytes between = MetaRows.tablet("users", Optional.of(bytes("m")));
      assertThatThrownBy(() -> splits.split(meta.table, tablet, Optional.of(between)))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("only at rows that it has");
      assertThat(splits.split(meta.table, tablet, Optional.empty())).isEqualTo(last);
    }
  }

  // ---- triggers

  @Test
  void whatIsTooLargeIsSplitUntilNothingIs() {
    Tablet tablet = t.add("", "!", t.write(rows(0, 2_000, 1)));
    long bytes = TabletSize.of(t.view(tablet)).orElseThrow();
    Splitter small =
        splitter(t, compactor, CompactSettings.DEFAULT.withSizes(bytes / 4 + 2_000, 0));
    List<String> before = t.readAll();
    small.check(t.table);
    assertThat(t.tablets()).hasSizeBetween(4, 6);
    t.table
        .view()
        .tablets()
        .forEach(
            each ->
                assertThat(TabletSize.of(each).orElseThrow())
                    .isBetween(bytes / 8, bytes / 4 + 2_000));
    assertThat(t.readAll()).isEqualTo(before);
    assertThat(t.metaTablets()).containsExactlyInAnyOrderElementsOf(t.tablets());
    List<String> split = t.tablets();
    small.check(t.table);
    assertThat(t.tablets()).isEqualTo(split);
  }

  @Test
  void nothingHappensByItselfIfThatIsSo() {
    t.add("", "!", t.write(rows(0, 2_000, 1)));
    splitter(t, compactor, CompactSettings.DEFAULT.withSizes(1_000, 0).withAutomatic(false))
        .check(t.table);
    assertThat(t.tablets()).hasSize(1);
  }

  @Test
  void aFailedSplitIsToldAndTriedAgainWithTheNextCheck() {
    t.add("", "!", t.write(rows(0, 2_000, 1)));
    long bytes = TabletSize.of(t.table.view().tablets().getFirst()).orElseThrow();
    Splitter small = splitter(t, compactor, CompactSettings.DEFAULT.withSizes(bytes - 1_000, 0));
    t.fates.add(Fate.LOST);
    small.check(t.table);
    assertThat(t.tablets()).hasSize(1);
    assertThat(t.events)
        .filteredOn(TableEvent.BackgroundFailed.class::isInstance)
        .singleElement()
        .asString()
        .contains("split of a tablet of table t");
    small.check(t.table);
    assertThat(t.tablets()).hasSize(2);
  }

  @Test
  void aListenerMayAskForAnotherCheck() {
    t.add("", "!", t.write(rows(0, 2_000, 1)));
    long bytes = TabletSize.of(t.table.view().tablets().getFirst()).orElseThrow();
    Splitter small =
        splitter(t, compactor, CompactSettings.DEFAULT.withSizes(bytes / 4 + 2_000, 0));
    t.table
        .events()
        .add(
            new TabletListener() {
              @Override
              public void onRowRangeUpdate(Tablet tablet, Optional<RowRange> rows) {
                small.check(t.table);
              }
            },
            null);
    small.check(t.table);
    assertThat(t.tablets()).hasSizeBetween(4, 6);
    assertThat(t.readAll()).hasSize(2_000);
  }
}
