package io.stele.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.stele.base.bytes.Bytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordsTest {

  private static final int COUNT = 10_000;

  private final Records records = new Records(100, COUNT);

  private Bytes key(long record) {
    byte[] key = new byte[Records.KEY_BYTES];
    records.key(record, key);
    return Bytes.wrap(key);
  }

  private long foldOf(long record) {
    byte[] key = key(record).toArray();
    return Records.fold(key, 0, key.length)
        ^ Records.fold(records.values(), records.valueOffset(record), 100);
  }

  private long foldOfAll() {
    long fold = 0;
    for (long record = 0; record < COUNT; record++) {
      fold ^= foldOf(record);
    }
    return fold;
  }

  @Test
  void keysAreAllDifferentAndInNoOrder() {
    List<Bytes> keys = new ArrayList<>();
    int ascents = 0;
    for (int record = 0; record < COUNT; record++) {
      keys.add(key(record));
      if (record > 0 && keys.get(record - 1).compareTo(keys.get(record)) < 0) {
        ascents++;
      }
    }
    assertThat(new HashSet<>(keys)).hasSize(COUNT);
    assertThat(ascents).isBetween(COUNT * 45 / 100, COUNT * 55 / 100);
  }

  @Test
  void aLargerSetHoldsTheSmallerOne() {
    Records larger = new Records(100, 3 * COUNT);
    byte[] key = new byte[Records.KEY_BYTES];
    larger.key(17, key);

    assertThat(Bytes.of(key)).isEqualTo(key(17));
    assertThat(larger.valueOffset(17)).isEqualTo(records.valueOffset(17));
  }

  @Test
  void theRightValuePassesAndAnotherRecordsDoesNot() {
    byte[] pool = records.values();
    assertThatNoException().isThrownBy(() -> records.check(5, pool, records.valueOffset(5), 100));
    assertThatIllegalStateException()
        .isThrownBy(() -> records.check(5, pool, records.valueOffset(6), 100))
        .withMessageContaining("record 5");
  }

  @Test
  void aValueThatIsMissingOrTooShortIsFound() {
    byte[] pool = records.values();
    assertThatIllegalStateException().isThrownBy(() -> records.check(5, pool, 0, 0));
    assertThatIllegalStateException().isThrownBy(() -> records.check(5, pool, 0, -1));
    assertThatIllegalStateException()
        .isThrownBy(() -> records.check(5, pool, records.valueOffset(5), 99));
  }

  @Test
  void aScanMustSeeEveryRecordOnce() {
    assertThatNoException().isThrownBy(() -> records.checkScan(COUNT, foldOfAll()));
    assertThatIllegalStateException()
        .isThrownBy(() -> records.checkScan(COUNT - 1, foldOfAll() ^ foldOf(3)))
        .withMessageContaining("saw 9999");
    assertThatIllegalStateException()
        .as("one record three times")
        .isThrownBy(() -> records.checkScan(COUNT + 2, foldOfAll()));
    assertThatIllegalStateException()
        .as("one record twice instead of another")
        .isThrownBy(() -> records.checkScan(COUNT, foldOfAll() ^ foldOf(3) ^ foldOf(4)));
  }

  @Test
  void everyByteCountsInAFoldOfAnyLength() {
    for (int length = 0; length < 40; length++) {
      byte[] array = new byte[3 + length];
      ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < length; i++) {
        array[3 + i] = (byte) (i * 31 + 7);
        buffer.put(i, array[3 + i]);
      }
      long fold = Records.fold(array, 3, length);
      assertThat(Records.fold(buffer, length)).isEqualTo(fold);
      for (int i = 0; i < length; i++) {
        array[3 + i] ^= 0x10;
        assertThat(Records.fold(array, 3, length)).isNotEqualTo(fold);
        array[3 + i] ^= 0x10;
      }
    }
  }

  @Test
  void sizesThatCannotBeCheckedAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Records(7, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new Records((1 << 19) + 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new Records(100, 0));
  }

  @Test
  void labelsAreShort() {
    assertThat(Records.label(100)).isEqualTo("100B");
    assertThat(Records.label(1024)).isEqualTo("1KB");
    assertThat(Records.label(1000)).isEqualTo("1000B");
  }
}
