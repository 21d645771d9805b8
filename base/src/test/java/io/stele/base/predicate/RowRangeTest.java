package io.stele.base.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowRangeTest {
  private static Bytes row(String text) {
    return Bytes.utf8(text);
  }

  @Test
  void aRangeIsCutAtRowsThatLieInside() {
    RowRange range = new RowRange(row("c"), row("k"));
    assertThat(
            range.cutAt(
                List.of(row("a"), row("c"), row("e"), row("e"), row("g"), row("k"), row("x"))))
        .containsExactly(
            new RowRange(row("c"), row("e")),
            new RowRange(row("e"), row("g")),
            new RowRange(row("g"), row("k")));
    assertThat(range.cutAt(List.of())).containsExactly(range);
    assertThat(RowRange.ALL.cutAt(List.of(row("m"))))
        .containsExactly(new RowRange(Bytes.EMPTY, row("m")), new RowRange(row("m"), null));
  }
}
