package io.stele.tables.compact;

import static io.stele.tables.compact.TestTable.bytes;
import static io.stele.tables.compact.TestTable.eraseRow;
import static io.stele.tables.compact.TestTable.put;
import static io.stele.tables.compact.TestTable.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.tables.compact.TestTable.Fate;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JoinTest {
  private final TestTable t = new TestTable();
  private final Compactor compactor = SplitterTest.compactor(t);
  private final Splitter splitter = SplitterTest.splitter(t, compactor, CompactSettings.DEFAULT);

  @AfterEach
  void close() {
    compactor.close();
    t.close();
  }

  @Test
  void twoNeighboursBecomeOneWithTheFilesOfBoth() {
    FilePath shared = t.write(put("a", "1", 1), put("x", "1", 1));
    FilePath low = t.write(put("b", "2", 2));
    FilePath high = t.write(put("y", "3", 3));
    Tablet lower = t.add("", "k", shared, low);
    Tablet upper = t.add("k", "!", shared, high);
    List<String> before = t.readAll();
    t.listen();
    splitter.join(t.table, lower);
    assertThat(t.tablets()).containsExactly("(, !]");
    assertThat(t.metaTablets()).containsExactly("(, !]");
    assertThat(t.meta("!").fragments()).isEqualTo(t.view(upper).files());
    assertThat(t.chain(upper)).containsExactlyInAnyOrder(shared, low, high);
    assertThat(t.read(upper)).isEqualTo(before);
    for (FilePath file : List.of(shared, low, high)) {
      assertThat(t.table.graph().uses(file)).isEqualTo(1);
    }
    assertThat(t.told).containsExactly("rows none", "rows " + t.view(upper).range());
    assertThat(t.events).anyMatch(TableEvent.Joined.class::isInstance);
    compactor.compactAll(t.table);
    assertThat(t.read(upper)).isEqualTo(before);
    assertThat(t.table.graph().openFiles()).hasSize(1);
  }

  @Test
  void savesThatWaitBehindAJoinDoNotUndoIt() {
    Tablet lower = t.add("", "k", t.write(put("a", "1", 1)));
    Tablet upper = t.add("k", "!", t.write(put("x", "1", 2)));
    t.savedNext.addAll(List.of(lower, upper));
    splitter.join(t.table, lower);
    assertThat(t.metaTablets()).containsExactly("(, !]");
  }

  @Test
  void aSplitAndAJoinLeaveEverythingAsItWas() {
    Tablet tablet = t.add("", "!", t.write(rows(0, 100, 1)), t.write(rows(50, 60, 2)));
    List<FilePath> files = t.chain(tablet);
    List<String> before = t.readAll();
    splitter.split(t.table, tablet, Optional.of(bytes("000054")));
    splitter.join(t.table, t.table.view().tablets().getFirst().tablet());
    assertThat(t.tablets()).containsExactly("(, !]");
    assertThat(t.chain(tablet)).isEqualTo(files);
    assertThat(t.readAll()).isEqualTo(before);
    files.forEach(file -> assertThat(t.table.graph().uses(file)).isEqualTo(1));
  }

  @Test
  void whatOneHalfHasCompactedAwayDoesNotComeBackFromTheOther() {
    FilePath old = t.write(put("a", "1", 1), put("x", "1", 1));
    Tablet lower = t.add("", "k", old, t.write(eraseRow("a", 2)));
    Tablet upper = t.add("k", "!", old);
    // Only the lower one is compacted: the file of the upper one still has the erased row.
    t.setState(upper, TabletState.READ_ONLY);
    compactor.compactAll(t.table);
    t.setState(upper, TabletState.ACTIVE);
    assertThat(t.chain(lower)).isEmpty();
    assertThatThrownBy(() -> splitter.join(t.table, lower))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("compact the table");
    assertThat(t.tablets()).hasSize(2);
    assertThat(t.metaTablets()).hasSize(2);
    compactor.compactAll(t.table);
    splitter.join(t.table, lower);
    assertThat(t.readAll()).containsExactly("x=1");
  }

  @Test
  void aJoinThatMetaDidNotTakeHasNotHappened() {
    for (Fate fate : List.of(Fate.LOST, Fate.WRITTEN_BUT_UNKNOWN)) {
      try (TestTable own = new TestTable();
          Compactor ownCompactor = SplitterTest.compactor(own)) {
        FilePath shared = own.write(put("a", "1", 1), put("x", "1", 1));
        Tablet lower = own.add("", "k", shared);
        own.add("k", "!", shared);
        own.fates.add(fate);
        Splitter joins = SplitterTest.splitter(own, ownCompactor, CompactSettings.DEFAULT);
        assertThatThrownBy(() -> joins.join(own.table, lower))
            .isInstanceOf(UnavailableException.class);
        assertThat(own.tablets()).containsExactly("(, k]", "(k, !]");
        assertThat(own.metaTablets()).containsExactlyInAnyOrder("(, k]", "(k, !]");
        assertThat(own.table.graph().uses(shared)).isEqualTo(2);
        joins.join(own.table, lower);
        assertThat(own.readAll()).containsExactly("a=1", "x=1");
      }
    }
  }

  @Test
  void tabletsThatCameAtDifferentTimesWaitForAFlush() {
    Tablet lower = t.add("", "k", 7, List.of(FragmentRef.whole(t.write(put("a", "1", 1)))));
    Tablet upper = t.add("k", "!", 3, List.of(FragmentRef.whole(t.write(put("x", "1", 1)))));
    t.commit(5, put("b", "not the tablet's", 5), put("y", "2", 5));
    assertThat(t.readAll()).containsExactly("a=1", "x=1", "y=2");
    assertThatThrownBy(() -> splitter.join(t.table, lower))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("flush the table");
    assertThat(t.metaTablets()).hasSize(2);
    assertThat(t.view(upper).fromTxn()).isEqualTo(3);
  }

  @Test
  void tabletsThatCameAtDifferentTimesAreJoinedOnceNothingOfThatIsInMemory() {
    Tablet lower = t.add("", "k", 7, List.of(FragmentRef.whole(t.write(put("a", "1", 1)))));
    Tablet upper = t.add("k", "!", 3, List.of(FragmentRef.whole(t.write(put("x", "1", 1)))));
    t.commit(9, put("b", "2", 9), put("y", "2", 9));
    splitter.join(t.table, lower);
    assertThat(t.view(upper).fromTxn()).isEqualTo(7);
    assertThat(t.meta("!").log().orElseThrow().fromTxn()).isEqualTo(7);
    assertThat(t.readAll()).containsExactly("a=1", "b=2", "x=1", "y=2");
  }

  @Test
  void onlyActiveNeighboursAreJoined() {
    Tablet a = t.add("", "c");
    Tablet b = t.add("c", "h");
    Tablet last = t.add("m", "!"); // what lies between is on another server
    assertThatThrownBy(() -> splitter.join(t.table, last))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("the last one");
    assertThatThrownBy(() -> splitter.join(t.table, b))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("not on this server");
    t.setState(b, TabletState.READ_ONLY);
    assertThatThrownBy(() -> splitter.join(t.table, a))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("read-only");
    assertThat(t.tablets()).hasSize(3);
  }

  @Test
  void smallNeighboursAreJoinedWhenBothHaveBeenHereLongEnough() {
    t.add("", "c");
    t.add("c", "h", t.write(put("d", "1", 1)));
    t.add("h", "m");
    t.add("p", "!");
    splitter.check(t.table);
    assertThat(t.tablets()).as("they have only come").hasSize(4);
    t.clock.advance(Duration.ofMinutes(59));
    splitter.check(t.table);
    assertThat(t.tablets()).hasSize(4);
    t.clock.advance(Duration.ofMinutes(2));
    splitter.check(t.table);
    assertThat(t.tablets())
        .as("the joined one is new again; the last is no neighbour")
        .containsExactly("(, h]", "(h, m]", "(p, !]");
    t.clock.advance(Duration.ofMinutes(61));
    splitter.check(t.table);
    assertThat(t.tablets()).containsExactly("(, m]", "(p, !]");
    assertThat(t.metaTablets()).containsExactlyInAnyOrder("(, m]", "(p, !]");
  }

  /** "Check for joins after completing a Tablet load": tablets that were loaded are cold. */
  @Test
  void smallNeighboursAreJoinedThoughTheirFilesAreClosed() {
    t.add("", "k", t.write(put("a", "1", 1)));
    t.add("k", "!", t.write(put("x", "1", 1)));
    splitter.check(t.table);
    t.clock.advance(Duration.ofMinutes(61));
    t.warmer.cool(t.table, 1);
    assertThat(t.table.view().tablets()).noneMatch(TabletView::isWarm);
    splitter.check(t.table);
    assertThat(t.tablets()).containsExactly("(, !]");
    assertThat(t.readAll()).containsExactly("a=1", "x=1");
  }

  @Test
  void neighboursThatTogetherAreNotSmallAreLeft() {
    Splitter sized =
        SplitterTest.splitter(
            t,
            compactor,
            CompactSettings.DEFAULT.withSizes(1 << 20, 20_000).withJoinAge(Duration.ZERO));
    t.add("", "000099", t.write(rows(0, 100, 1)));
    t.add("000099", "!", t.write(rows(100, 200, 1)));
    sized.check(t.table);
    assertThat(t.tablets()).hasSize(2);
  }

  @Test
  void halvesOfASplitOnRequestAreNotJoinedAtOnce() {
    Tablet tablet = t.add("", "!", t.write(rows(0, 100, 1)));
    splitter.check(t.table);
    t.clock.advance(Duration.ofHours(2));
    splitter.split(t.table, tablet, Optional.of(bytes("000050")));
    splitter.check(t.table);
    assertThat(t.tablets()).hasSize(2);
    t.clock.advance(Duration.ofHours(2));
    splitter.check(t.table);
    assertThat(t.tablets()).hasSize(1);
  }
}
