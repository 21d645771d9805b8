package io.stele.metastore.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.time.RandomSource;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.lock.KeyLockInfo;
import io.stele.metastore.lock.LockDelay;
import io.stele.metastore.lock.LockHolder;
import io.stele.metastore.lock.LockRequest;
import io.stele.metastore.raft.Position;
import io.stele.metastore.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Rows keep the order of keys, and what is stored in them is read for ever. */
class RowsTest {
  private final RandomGenerator random = RandomSource.seeded(9);

  private Bytes key() {
    byte[] bytes = new byte[random.nextInt(5)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) - 1); // ff, 00 and 01: what the encoding is about
    }
    return Bytes.wrap(bytes);
  }

  private static CellView at(Bytes row) {
    CellView view = new CellView();
    view.setRow(row);
    return view;
  }

  @Test
  void rowsAreInTheOrderOfKeys() {
    for (int i = 0; i < 20_000; i++) {
      Bytes a = key();
      Bytes b = key();
      int expected = Integer.signum(a.compareTo(b));
      assertThat(Integer.signum(Rows.value(a).compareTo(Rows.value(b)))).isEqualTo(expected);
      assertThat(Integer.signum(Rows.lock(a).compareTo(Rows.lock(b)))).isEqualTo(expected);
      if (expected != 0) {
        assertThat(Integer.signum(Rows.lock(a).compareTo(Rows.value(b)))).isEqualTo(expected);
      }
      assertThat(Rows.value(a)).isLessThan(Rows.lock(a));
      assertThat(Rows.userKey(at(Rows.value(a)))).isEqualTo(a);
      assertThat(Rows.userKey(at(Rows.lock(a)))).isEqualTo(a);
      assertThat(Rows.bytesBehind(at(Rows.ephemeral(7, a)), 1)).isEqualTo(a);
      assertThat(Rows.numberOf(at(Rows.ephemeral(7, a)))).isEqualTo(7);
    }
  }

  @Test
  void aRangeOfRowsHoldsTheKeysOfTheRange() {
    for (int i = 0; i < 20_000; i++) {
      Bytes from = key();
      Bytes to = key();
      KeyRange range =
          random.nextInt(3) == 0
              ? new KeyRange(from, null)
              : from.compareTo(to) <= 0 ? new KeyRange(from, to) : KeyRange.prefix(from);
      Bytes key = key();
      assertThat(Rows.keys(range).contains(Rows.value(key)))
          .as("%s in %s", key, range)
          .isEqualTo(range.contains(key));
      assertThat(Rows.keys(range).contains(Rows.lock(key))).isEqualTo(range.contains(key));
    }
    assertThat(Rows.keys(KeyRange.ALL).contains(Rows.change(0))).isFalse();
  }

  @Test
  void placesComeAroundWithTheWindow() {
    assertThat(Rows.place(1)).isEqualTo(Rows.place(1 + Origin.WINDOW));
    assertThat(Rows.place(1)).isNotEqualTo(Rows.place(2));
    assertThat(Rows.place(0).length()).isEqualTo(2);
  }

  /** What is on disks: a change of any of these is a new version of the format. */
  @Test
  void whatIsStoredLooksTheSameForEver() {
    Bytes key = Bytes.utf8("/k");
    assertThat(Rows.value(key).toString()).isEqualTo("\\x01/k\\x00\\x01\\x01");
    assertThat(Rows.lock(key).toString()).isEqualTo("\\x01/k\\x00\\x01\\x02");
    assertThat(Rows.change(258).toString())
        .isEqualTo("\\x02\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02");
    assertThat(Rows.APPLIED.toString()).isEqualTo("\\x04\\x03");
    KeyValue kv = new KeyValue(key, Bytes.utf8("v"), 5, 9, 3, 0);
    assertThat(new StoredVersion(false, kv).encode().toString()).isEqualTo("\\x00\\x09\\x04\\x03v");
    KeyValue owned = new KeyValue(key, Bytes.utf8("v"), 5, 9, 3, 300);
    assertThat(new StoredVersion(false, owned).encode().toString())
        .isEqualTo("\\x02\\x09\\x04\\x03\\xac\\x02v");
    assertThat(StoredVersion.deletion(key, 9).encode().toString()).isEqualTo("\\x01\\x09");
    assertThat(new AppliedPlace(new Position(3, 300), 9).encode().toString())
        .isEqualTo("\\x03\\xac\\x02\\x09");
    assertThat(ChangedKeys.encode(List.of(key, Bytes.utf8("/l"))).toString())
        .isEqualTo("\\x02\\x02/k\\x02/l");
    assertThat(
            new Session(7, "me", Duration.ofSeconds(5), "x", Bytes.utf8("id")).encode().toString())
        .isEqualTo("\\x01\\x02me\\x05\\x00\\x01x\\x02id");
    KeyLockInfo lock =
        new KeyLockInfo(
            true,
            List.of(new LockHolder(1, 2, 3, Duration.ofSeconds(4))),
            List.of(new LockRequest(5, 6, false, Duration.ofSeconds(7), Duration.ofSeconds(8))),
            Optional.of(new LockDelay(9, Duration.ofSeconds(10))));
    assertThat(lock.encode().toString())
        .isEqualTo(
            "\\x01\\x01\\x01\\x01\\x02\\x03\\x04\\x00\\x01\\x05\\x06\\x00\\x07\\x00\\x08\\x00"
                + "\\x01\\x09\\x0a\\x00");
  }
}
