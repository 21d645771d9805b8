package io.stele.engine.chain;

import static io.stele.engine.TestCells.FAMILY;
import static io.stele.engine.TestCells.batch;
import static io.stele.engine.TestCells.bytes;
import static io.stele.engine.TestCells.cell;
import static io.stele.engine.TestCells.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.memory.MemFragment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChainTest {
  private final Link a = link(1);
  private final Link b = link(2);
  private final Link c = link(3);
  private final Link d = link(4);
  private final Link merged = link(9);
  private final Chain chain = new Chain(List.of(a, b, c, d));

  private static Link link(int number) {
    return Link.whole(new NumberedFragment(number));
  }

  private static MemFragment memory(CellBatch... batches) {
    MemFragment fragment = new MemFragment();
    long txn = 1;
    for (CellBatch batch : batches) {
      fragment.add(batch.committed(txn++));
    }
    return fragment;
  }

  private List<Link> replaced(List<Link> inputs, Optional<Link> output) {
    return chain.replace(inputs, output).orElseThrow().links();
  }

  @Test
  void adjacentLinksAreReplacedWhereTheyStand() {
    assertThat(replaced(List.of(a), Optional.of(merged))).containsExactly(merged, b, c, d);
    assertThat(replaced(List.of(b, c), Optional.of(merged))).containsExactly(a, merged, d);
    assertThat(replaced(List.of(c, d), Optional.of(merged))).containsExactly(a, b, merged);
    assertThat(replaced(List.of(a, b, c, d), Optional.of(merged))).containsExactly(merged);
    assertThat(chain.links()).as("the chain itself stays").containsExactly(a, b, c, d);
  }

  @Test
  void nothingTakesThePlaceOfLinksOfWhichNoCellWasKept() {
    assertThat(replaced(List.of(b, c), Optional.empty())).containsExactly(a, d);
    assertThat(replaced(List.of(a, b, c, d), Optional.empty())).isEmpty();
  }

  @Test
  void linksThatAreNotExactlyThereAreNotReplaced() {
    Optional<Link> output = Optional.of(merged);
    assertThat(chain.replace(List.of(merged), output)).as("absent").isEmpty();
    assertThat(chain.replace(List.of(a, c), output)).as("not adjacent").isEmpty();
    assertThat(chain.replace(List.of(b, a), output)).as("another order").isEmpty();
    assertThat(chain.replace(List.of(d, a), output)).as("past the end").isEmpty();
    assertThat(chain.replace(List.of(c, d, merged), output)).as("too many").isEmpty();
    assertThat(Chain.EMPTY.replace(List.of(a), output)).isEmpty();
    Link restricted = new Link(b.fragment(), Optional.of(Set.of(FAMILY)));
    assertThat(chain.replace(List.of(restricted), output)).as("restricted since").isEmpty();
    assertThat(chain.replace(List.of(a, restricted), output)).isEmpty();
    Chain after = new Chain(List.of(a, restricted, c));
    assertThat(after.replace(List.of(a, b), output)).as("restricted meanwhile").isEmpty();
    assertThat(after.replace(List.of(a, restricted), output).orElseThrow().links())
        .containsExactly(merged, c);
  }

  @Test
  void appendingMakesAnotherChain() {
    Chain longer = chain.append(merged);
    assertThat(longer.links()).containsExactly(a, b, c, d, merged);
    assertThat(longer.fragments())
        .containsExactlyElementsOf(longer.links().stream().map(Link::fragment).toList());
    assertThat(chain.links()).hasSize(4);
  }

  @Test
  void theNewestFragmentIsAskedAgainForWideErasures() {
    MemFragment active = memory(put("row", 1, "v"));
    Chain live = new Chain(List.of(Link.whole(memory(put("row", 1, "v"))), Link.whole(active)));
    assertThat(live.mayHoldWideErasures()).isFalse();
    active.add(batch(Cell.eraseRow(bytes("row"))).committed(5));
    assertThat(live.mayHoldWideErasures()).isTrue();
    assertThat(Chain.EMPTY.mayHoldWideErasures()).isFalse();
    assertThat(live.append(Link.whole(new MemFragment())).mayHoldWideErasures())
        .as("an older one that has it")
        .isTrue();
  }

  @Test
  void allFragmentsAreReadAsOneAndARowOnlyFromThoseThatMayHaveIt() {
    Chain live =
        new Chain(
            List.of(
                Link.whole(memory(put("b", 1, "1"))),
                Link.whole(new MemFragment()),
                Link.whole(memory(put("a", 1, "2"), put("c", 1, "3")))));
    assertThat(rows(live.cursor(TimeBounds.ALL))).containsExactly("a", "b", "c");
    assertThat(rows(live.rowCursor(CellView.beforeRow(bytes("a"))).orElseThrow())).contains("a");
    Chain empty = new Chain(List.of(Link.whole(new MemFragment())));
    assertThat(empty.rowCursor(CellView.beforeRow(bytes("a")))).isEmpty();
    assertThat(Chain.EMPTY.cursor(TimeBounds.ALL).next()).isFalse();
    assertThat(Chain.EMPTY.rowCursor(CellView.beforeRow(bytes("a")))).isEmpty();
  }

  @Test
  void aRestrictedLinkShowsItsFamiliesAndRowErasures() {
    Bytes other = bytes("other");
    MemFragment both =
        memory(
            batch(Cell.eraseRow(bytes("row"))),
            batch(
                cell("row", 1, "v"),
                Cell.put(bytes("row"), other, bytes("c"), 1, bytes("hidden")),
                Cell.eraseFamily(bytes("row"), other)));
    Set<Bytes> families = new HashSet<>(List.of(FAMILY));
    Link restricted = new Link(both, Optional.of(families));
    families.add(other);
    assertThat(restricted.families()).as("copied").contains(Set.of(FAMILY));
    List<String> kinds = new ArrayList<>();
    try (CellCursor cursor = new Chain(List.of(restricted)).cursor(TimeBounds.ALL)) {
      while (cursor.next()) {
        kinds.add(cursor.cell().kind + " " + cursor.cell().family());
      }
    }
    assertThat(kinds).containsExactly("ERASE_ROW ", "PUT f");
  }

  private static List<String> rows(CellCursor cursor) {
    List<String> rows = new ArrayList<>();
    while (cursor.next()) {
      rows.add(cursor.cell().row().toUtf8());
    }
    return rows;
  }
}
