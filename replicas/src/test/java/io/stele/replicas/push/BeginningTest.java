package io.stele.replicas.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a replica began with, as it is kept. */
class BeginningTest {
  private static final Takeover WANTED = new Takeover("p0", "a0", 1L << 40, false);

  private final MemoryFileStore files = new MemoryFileStore();

  private Beginning open() throws IOException {
    return new Beginning(files, Takeover.load(files));
  }

  @Test
  void aReplicaThatBeganWithNothingIsWhole() throws IOException {
    Beginning beginning = open();
    assertThat(beginning.isWhole()).isTrue();
    assertThat(beginning.sequence()).isZero();
    assertThat(beginning.source()).isEmpty();
    assertThat(beginning.isFromOneOf(Set.of())).isTrue();
  }

  @Test
  void oneThatTakesOverIsWholeWhenItHasTheCells() throws IOException {
    WANTED.save(files);
    Beginning begun = open();
    assertThat(begun.isWhole()).isFalse();
    assertThat(begun.sequence()).isEqualTo(1L << 40);
    assertThat(begun.source()).contains(new Push.Source("p0", "a0", false));
    assertThat(begun.isFromOneOf(Set.of("a0"))).isTrue();
    WANTED.asDone().save(files);
    Beginning done = open();
    assertThat(done.isWhole()).isTrue();
    assertThat(done.source()).contains(new Push.Source("p0", "a0", true));
    assertThat(done.isFromOneOf(Set.of())).as("the source may go").isTrue();
  }

  @Test
  void oneWhoseSourceIsNotThereBeginsWithNothing() throws IOException {
    WANTED.save(files);
    Beginning begun = open();
    assertThat(begun.isFromOneOf(Set.of("a1"))).isFalse();
    begun.giveUp();
    assertThat(begun.isWhole()).isTrue();
    assertThat(begun.source()).as("nobody must count on it").isEmpty();
    assertThat(Takeover.load(files)).isEqualTo(Optional.empty());
  }

  @Test
  void aDamagedFileIsNamed() throws IOException {
    WANTED.save(files);
    byte[] content;
    try (ReadableFile file = files.open(FilePath.of("TAKEOVER"))) {
      content = new byte[(int) file.length()];
      file.read(0, content, 0, content.length);
    }
    for (int at = 0; at < content.length; at++) {
      content[at] ^= 4;
      files.replace(FilePath.of("TAKEOVER"), content);
      assertThatThrownBy(() -> Takeover.load(files))
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining("TAKEOVER");
      content[at] ^= 4;
    }
  }
}
