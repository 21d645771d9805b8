package io.stele.metastore.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Keys are absolute paths, and what is wrong with one is said, and where. */
class PathKeyTest {
  private static void assertProblem(String path, String... parts) {
    assertThatThrownBy(() -> PathKey.of(path))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll(parts);
  }

  @Test
  void pathsAreKeys() {
    for (String path :
        List.of("/a", "/a/b", "/a b/c", "/...", "/.hidden", "/x~!@#$%^&*()", "/ü/名/🙂", "/\\")) {
      assertThat(PathKey.of(path)).isEqualTo(Bytes.utf8(path));
    }
    String longest = "/" + "x".repeat(255);
    assertThat(PathKey.of(longest)).isNotNull();
    assertThat(PathKey.of(longest.repeat(16))).isNotNull();
  }

  @Test
  void whatIsWrongIsSaidAndWhere() {
    assertProblem("", "empty", "absolute path");
    assertProblem("a/b", "\"a/b\"", "must begin with /");
    assertProblem("/", "root");
    assertProblem("/a/", "\"/a/\"", "must not end with /");
    assertProblem("//a", "empty component at byte 1");
    assertProblem("/a//b", "empty component at byte 3");
    assertProblem("/a/./b", "component . at byte 3");
    assertProblem("/a/..", "component .. at byte 3");
    assertProblem("/a\nb", "control character 0x0a at byte 2");
    assertProblem("/a\0", "0x00 at byte 2");
    assertProblem("/\u007f", "0x7f at byte 1");
    assertProblem("/ü\u0085", "U+0085 at byte 3");
    assertProblem("/" + "x".repeat(256), "256 bytes at byte 1", "255");
    assertProblem(("/" + "x".repeat(255)).repeat(16) + "/y", "4098", "4096");
    assertThat(PathKey.problem(Bytes.of((byte) '/', (byte) 0xc3, (byte) 0x28)))
        .get()
        .asString()
        .contains("not UTF-8 at byte 1");
  }

  @Test
  void directoriesAreKeysOrTheRoot() {
    assertThat(PathKey.directoryProblem(PathKey.ROOT)).isEmpty();
    assertThat(PathKey.directoryProblem(Bytes.utf8("/a"))).isEmpty();
    assertThat(PathKey.directoryProblem(Bytes.utf8("/a/"))).isPresent();
    assertThat(PathKey.parent(Bytes.utf8("/a/b"))).isEqualTo(Bytes.utf8("/a"));
    assertThat(PathKey.parent(Bytes.utf8("/a"))).isEqualTo(PathKey.ROOT);
    assertThat(PathKey.parent(PathKey.ROOT)).isEqualTo(PathKey.ROOT);
    assertThat(PathKey.prefixOf(PathKey.ROOT)).isEqualTo(Bytes.utf8("/"));
    assertThat(PathKey.prefixOf(Bytes.utf8("/a"))).isEqualTo(Bytes.utf8("/a/"));
  }

  /** Another way to say the same rules, slow and plain. */
  private static boolean isKey(byte[] bytes) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return false;
    }
    if (bytes.length > 4096
        || !text.startsWith("/")
        || text.codePoints().anyMatch(Character::isISOControl)) {
      return false;
    }
    for (String component : text.substring(1).split("/", -1)) {
      if (component.isEmpty()
          || component.equals(".")
          || component.equals("..")
          || component.getBytes(StandardCharsets.UTF_8).length > 255) {
        return false;
      }
    }
    return true;
  }

  @Test
  void anyBytesAreJudgedRight() {
    RandomGenerator random = RandomSource.seeded(11);
    byte[] common = {'/', '/', '/', '.', '.', 'a', 'b', 0, 0x1f, 0x7f, (byte) 0xc3, (byte) 0xbc};
    int good = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(9)];
      for (int j = 0; j < bytes.length; j++) {
        bytes[j] =
            random.nextInt(8) == 0
                ? (byte) random.nextInt(256)
                : common[random.nextInt(common.length)];
      }
      if (bytes.length > 0 && random.nextInt(3) > 0) {
        bytes[0] = '/';
      }
      boolean expected = isKey(bytes);
      good += expected ? 1 : 0;
      assertThat(PathKey.problem(Bytes.of(bytes)).isEmpty())
          .as("%s", Bytes.of(bytes))
          .isEqualTo(expected);
    }
    assertThat(good).isGreaterThan(1_000);
  }
}
