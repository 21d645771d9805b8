package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {

  @Test
  void columnsAreAsWideAsTheirWidestValueAndNumbersStandToTheRight() {
    TextTable table =
        new TextTable("case", "ops/s", "note")
            .row("fill", "12,000", "synced")
            .row("random get", "9", "");

    assertThat(table)
        .hasToString(
            """
            case         ops/s  note
            fill        12,000  synced
            random get       9
            """);
  }

  @Test
  void aColumnWithOneWordIsText() {
    assertThat(new TextTable("n").row("100").row("none")).hasToString("n\n100\nnone\n");
  }

  @Test
  void aColumnWithoutAnyNumberIsText() {
    assertThat(new TextTable("FIRST", "SIZE").row("-", "-").row("-", "17"))
        .hasToString("FIRST  SIZE\n-         -\n-        17\n");
  }

  @Test
  void aTableWithoutRowsIsItsHeader() {
    assertThat(new TextTable("a", "b")).hasToString("a  b\n");
  }

  @Test
  void aRowOfAnotherLengthIsRefused() {
    assertThatThrownBy(() -> new TextTable("a", "b").row("1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a row of 1 values for the 2 columns [a, b]: [1]");
  }

  @Test
  void wideSignsTakeTwoColumns() {
    assertThat(new TextTable("NAME", "N").row("\u65e5\u672c", "1").row("e\u0301t\u00e9", "12"))
        .hasToString("NAME   N\n\u65e5\u672c   1\ne\u0301t\u00e9   12\n");
  }

  @Test
  void addressesAreNoNumbers() {
    assertThat(new TextTable("ADDRESS", "N").row("127.0.0.1:7835", "10").row("::1", "9"))
        .hasToString("ADDRESS          N\n127.0.0.1:7835  10\n::1              9\n");
  }
}
