package io.stele.tables.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class RowTxnsTest {
  private static long hash(String row) {
    return hash(1, row);
  }

  private static long hash(long seed, String row) {
    byte[] bytes = ("##" + row).getBytes(StandardCharsets.UTF_8);
    return RowTxns.hash(seed, bytes, 2, bytes.length - 2);
  }

  @Test
  void aRowThatWasNeverSeenMayHaveBeenChangedAtTheFloor() {
    RowTxns rows = new RowTxns(100, 7);
    assertThat(rows.newest(hash("a"))).isEqualTo(7);
    rows.note(hash("a"), 9);
    assertThat(rows.newest(hash("a"))).isEqualTo(9);
    assertThat(rows.newest(hash("b"))).isEqualTo(7);
  }

  /** Too low would let a conflicting change pass; too high only has it tried again. */
  @Test
  void itIsNeverTooLowAndExactForTheRowsOfLate() {
    RandomGenerator random = RandomSource.seeded(5);
    RowTxns rows = new RowTxns(256, 0);
    Map<Integer, Long> truth = new HashMap<>();
    for (long txn = 1; txn < 20_000; txn++) {
      int row = random.nextInt(2_000);
      rows.note(hash("row" + row), txn);
      truth.put(row, txn);
      assertThat(rows.newest(hash("row" + row))).isEqualTo(txn);
      int other = random.nextInt(2_000);
      assertThat(rows.newest(hash("row" + other))).isBetween(truth.getOrDefault(other, 0L), txn);
    }
    long exact =
        truth.entrySet().stream()
            .filter(each -> rows.newest(hash("row" + each.getKey())) == each.getValue())
            .count();
    assertThat(exact).as("of 2000 rows").isBetween(200L, 600L);
  }

  @Test
  void fewRowsAreAllRememberedExactly() {
    RowTxns rows = new RowTxns(1 << 12, 0);
    for (int i = 0; i < 200; i++) {
      rows.note(hash("row" + i), 1 + i);
    }
    for (int i = 0; i < 200; i++) {
      assertThat(rows.newest(hash("row" + i))).isEqualTo(1 + i);
    }
    assertThat(rows.newest(hash("another"))).isZero();
  }

  @Test
  void hashesTellRowsAndTablesApart() {
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 50_000; i++) {
      assertThat(seen.add(hash("user/" + i))).isTrue();
    }
    for (String row :
        new String[] {"", "\0", "\0\0", "a", "a\0", "\0a", "abcdefgh", "abcdefgh\0"}) {
      assertThat(seen.add(hash(row))).as(Bytes.utf8(row).toString()).isTrue();
      assertThat(seen.add(hash(2, row))).as(Bytes.utf8(row).toString()).isTrue();
    }
    assertThat(hash("same")).isEqualTo(hash("same"));
  }
}
