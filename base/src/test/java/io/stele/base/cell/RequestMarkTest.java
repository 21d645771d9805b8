package io.stele.base.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestMarkTest {
  private static final RequestMark MARK = new RequestMark(Bytes.utf8("request 1"), 600);

  private static Cell put(String row) {
    return Cell.put(Bytes.utf8(row), Bytes.utf8("f"), Bytes.utf8("q"), 7, Bytes.utf8("v"));
  }

  private static CellBatch batch(Cell... cells) {
    CellBatchBuilder builder = new CellBatchBuilder();
    List.of(cells).forEach(builder::add);
    return builder.build();
  }

  private static List<Cell> cells(CellBatch batch) {
    List<Cell> cells = new ArrayList<>();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      cells.add(reader.cell().toCell());
    }
    return cells;
  }

  private static void checkMarked(CellBatch batch, String row) {
    CellBatch marked = CellBatch.parse(MARK.mark(batch, Bytes.utf8("answer")).toArray());
    assertThat(RequestMark.of(marked))
        .contains(new RequestMark.InRow(Bytes.utf8(row), MARK, Bytes.utf8("answer"), false));
    assertThat(cells(marked)).hasSize(cells(batch).size() + 1).containsAll(cells(batch));
    assertThat(cells(RequestMark.without(marked))).isEqualTo(cells(batch));
  }

  @Test
  void aMarkGoesWithABatchOfAnyKind() {
    checkMarked(batch(put("a")), "a");
    checkMarked(batch(put("a"), put("b")), "a");
    checkMarked(batch(Cell.eraseRow(Bytes.utf8("a")), put("a")), "a");
    checkMarked(batch(Cell.eraseRow(Bytes.utf8("a")), put("b")), "b");
    checkMarked(batch(Cell.eraseRow(Bytes.utf8("a")), Cell.eraseRow(Bytes.utf8("b"))), "b");
    checkMarked(batch(Cell.eraseFamily(Bytes.utf8("a"), Bytes.utf8("f"))), "a");
  }

  @Test
  void theFirstAttemptSaysSo() {
    CellBatch first = MARK.markFirst(batch(Cell.eraseRow(Bytes.utf8("a")), put("b")));
    assertThat(RequestMark.of(first))
        .contains(new RequestMark.InRow(Bytes.utf8("b"), MARK, Bytes.EMPTY, true));
    CellBatch again = RequestMark.again(first);
    assertThat(RequestMark.of(again))
        .contains(new RequestMark.InRow(Bytes.utf8("b"), MARK, Bytes.EMPTY, false));
    assertThat(RequestMark.of(first)).hasValueSatisfying(mark -> assertThat(mark.first()).isTrue());
    CellBatch plain = batch(put("a"));
    assertThat(cells(RequestMark.again(plain))).isEqualTo(cells(plain));
  }

  @Test
  void aBatchWithoutOneStaysAsItIs() {
    CellBatch plain = batch(Cell.eraseRow(Bytes.utf8("a")), put("a"), put("b"));
    assertThat(RequestMark.of(plain)).isEmpty();
    assertThat(RequestMark.without(plain)).isSameAs(plain);
  }

  @Test
  void itExpiresItsLifetimeAfterItWasCommitted() {
    CellBatch marked = MARK.mark(batch(put("a")), Bytes.EMPTY);
    marked.stamp(1_000_000);
    CellBatch.Reader reader = marked.read();
    assertThat(reader.next()).isTrue();
    assertThat(RequestMark.is(reader.cell())).isTrue();
    assertThat(RequestMark.expiry(reader.cell())).isEqualTo(601_000_000L);
  }

  @Test
  void whatIsNoMarkIsRefused() {
    assertThatThrownBy(() -> new RequestMark(Bytes.utf8("short"), 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("5 bytes");
    assertThatThrownBy(() -> new RequestMark(MARK.id(), 3_601))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("3601");
    assertThatThrownBy(() -> RequestMark.without(batch(MARK.cell(Bytes.utf8("a"), Bytes.EMPTY))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("no change");
  }
}
