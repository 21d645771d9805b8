package io.stele.bench.metastore;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KeySetTest {
  private final KeySet keys = new KeySet("/bench/keys", 10_000, 100);

  @Test
  void keysAreAbsolutePathsInTheOrderOfTheirNumbers() {
    assertThat(new String(keys.key(0), ISO_8859_1)).isEqualTo("/bench/keys/0000000000");
    assertThat(new String(keys.key(9_999), ISO_8859_1)).isEqualTo("/bench/keys/0000009999");
    for (long number : new long[] {0, 9, 10, 99, 100, 9_998}) {
      assertThat(Arrays.compareUnsigned(keys.key(number), keys.key(number + 1))).isNegative();
      assertThat(keys.number(keys.key(number))).isEqualTo(number);
    }
  }

  @Test
  void firstAndEndEncloseAllKeysOfTheDirectoryAndNoOthers() {
    byte[] neighbour = new KeySet("/bench/keyz", 1, 16).key(0);
    assertThat(Arrays.compareUnsigned(keys.first(), keys.key(0))).isNegative();
    assertThat(Arrays.compareUnsigned(keys.key(9_999), keys.end())).isNegative();
    assertThat(Arrays.compareUnsigned(keys.end(), neighbour)).isNegative();
  }

  @Test
  void aValueTellsItsEditionAndNoOtherKeyHasIt() {
    byte[] value = keys.value(7, 42);
    assertThat(value).hasSize(100);
    assertThat(keys.edition(7, value)).isEqualTo(42);
    assertThat(value).isNotEqualTo(keys.value(7, 43)).isNotEqualTo(keys.value(8, 42));
  }

  @Test
  void anyByteThatIsWrongIsFound() {
    for (int at = 0; at < 100; at++) {
      byte[] value = keys.value(7, 42);
      value[at] ^= 1;
      assertThatThrownBy(() -> keys.edition(7, value))
          .as("byte %d", at)
          .isInstanceOf(WrongAnswerException.class)
          .hasMessage("key /bench/keys/0000000007 has a value of 100 bytes that was never put");
    }
    assertThatThrownBy(() -> keys.edition(7, new byte[99]))
        .isInstanceOf(WrongAnswerException.class);
    assertThatThrownBy(() -> keys.edition(8, keys.value(7, 42)))
        .isInstanceOf(WrongAnswerException.class);
  }

  @Test
  void anotherKeyOrAnotherNumberOfKeysIsFound() {
    assertThatThrownBy(() -> keys.check(7, keys.key(8), keys.value(8, 1)))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessage("key /bench/keys/0000000007 was asked for and '/bench/keys/0000000008' found");
    assertThatThrownBy(() -> keys.checkCount(5, 100, 99))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessage("100 keys from /bench/keys/0000000005 on were asked for and 99 found");
    assertThatThrownBy(() -> keys.number(keys.end())).isInstanceOf(WrongAnswerException.class);
    assertThatThrownBy(() -> keys.number(new KeySet("/bench/keys", 20_000, 100).key(10_000)))
        .isInstanceOf(WrongAnswerException.class);
  }
}
