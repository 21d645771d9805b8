package io.stele.base.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class FilePathTest {
  @Test
  void aPathKnowsItsNameItsParentAndItsChildren() {
    FilePath path = FilePath.of("table/group/000001.frag");
    assertThat(path.name()).isEqualTo("000001.frag");
    assertThat(path.parent()).isEqualTo(FilePath.of("table/group"));
    assertThat(path.parent().resolve("000001.frag")).isEqualTo(path);
    assertThat(FilePath.ROOT.resolve("table/group/000001.frag")).isEqualTo(path);
    assertThat(path).hasToString("table/group/000001.frag");
    assertThat(FilePath.of("table").parent()).isEqualTo(FilePath.ROOT);
    assertThat(FilePath.ROOT.parent()).isEqualTo(FilePath.ROOT);
    assertThat(FilePath.ROOT.name()).isEmpty();
    assertThat(FilePath.of("a")).isLessThan(FilePath.of("a/b")).isGreaterThan(FilePath.ROOT);
  }

  @Test
  void whatCouldLeaveTheRootOrHideIsRefused() {
    for (String bad :
        List.of(
            "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\\b", "a\u0000", "a\nb",
            "\u007f")) {
      assertThatThrownBy(() -> FilePath.of(bad))
          .as(bad)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("is not a plain name");
    }
    assertThatThrownBy(() -> FilePath.of("a").resolve("../b"))
        .hasMessage("file path \"a/../b\": segment \"..\" is not a plain name");
    assertThatThrownBy(() -> FilePath.of("a").resolve(""))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void unusualNamesArePlain() {
    for (String name : List.of("...", ".hidden", "a b", "é", "日本", "a:b", "*", "~")) {
      assertThat(FilePath.of("d").resolve(name).name()).isEqualTo(name);
    }
  }

  @Test
  void anyTextIsRefusedOrStaysBelowTheRoot() {
    String alphabet = "./\\a\u0001";
    Path root = Path.of("/root");
    int accepted = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      RandomGenerator random = RandomSource.seeded(seed);
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(8); i > 0; i--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      try {
        FilePath path = FilePath.of(text.toString());
        accepted++;
        Path local = root.resolve(path.value());
        assertThat(local.normalize().equals(local) && local.startsWith(root))
            .as("seed %d: %s", seed, local)
            .isTrue();
        assertThat(path.value().isEmpty() || path.parent().resolve(path.name()).equals(path))
            .as("seed %d: %s", seed, path)
            .isTrue();
      } catch (InvalidRequestException e) {
        assertThat(e).as("seed %d", seed).hasMessageContaining("\"" + text + "\"");
      }
    }
    assertThat(accepted).isBetween(1_000, 19_000);
  }
}
