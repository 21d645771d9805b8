package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceTest {

  @TempDir private Path temp;

  @Test
  void aNewDirectoryIsMadeAndRemoved() throws IOException {
    Path root = temp.resolve("new/data");
    try (Workspace workspace = Workspace.in(root)) {
      Path store = workspace.directory("store");
      Files.createDirectories(store.resolve("deep/er"));
      Files.writeString(store.resolve("deep/er/file"), "x");
    }
    assertThat(root).doesNotExist();
  }

  @Test
  void anEmptyDirectoryOfSomebodyElseStays() throws IOException {
    try (Workspace workspace = Workspace.in(temp)) {
      Files.writeString(workspace.directory("store").resolve("file"), "x");
    }
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void aDirectoryThatIsNotEmptyIsRefusedAndLeftAlone() throws IOException {
    Path precious = Files.writeString(temp.resolve("thesis.txt"), "ten years");

    assertThatThrownBy(() -> Workspace.in(temp))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll(temp.toString(), "'thesis.txt'", "empty or new");
    assertThat(precious).hasContent("ten years");
  }

  @Test
  void aFileIsRefused() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "x");

    assertThatThrownBy(() -> Workspace.in(file))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("is a file");
  }

  @Test
  void whatAppearsBesideTheDataMeanwhileStays() throws IOException {
    Path root = temp.resolve("data");
    try (Workspace workspace = Workspace.in(root)) {
      workspace.directory("store");
      Files.writeString(root.resolve("notes.txt"), "mine");
    }
    assertThat(root).isDirectoryContaining("glob:**notes.txt");
    assertThat(root.resolve("store")).doesNotExist();
  }

  @Test
  void onlyItsOwnDirectoriesCanBeDeleted() throws IOException {
    Path other = Files.createDirectory(temp.resolve("other"));
    try (Workspace workspace = Workspace.inside(temp)) {
      Path store = workspace.directory("store");
      workspace.delete(store);
      assertThat(store).doesNotExist();
      assertThatIllegalArgumentException().isThrownBy(() -> workspace.delete(other));
    }
    assertThat(other).isDirectory();
  }

  @Test
  void tooLittleSpaceIsSaidBeforehand() {
    assertThatThrownBy(() -> Workspace.checkSpace(temp, 9_500_000_000L, 1_200_000_000L))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContainingAll(temp.toString(), "1.20 GB free", "needs 9.50 GB", "--records");
    Workspace.checkSpace(temp, 100, 100);
  }

  @Test
  void allBytesBelowADirectoryAreCounted() throws IOException {
    Files.writeString(temp.resolve("a"), "12345");
    Files.createDirectory(temp.resolve("b"));
    Files.writeString(temp.resolve("b/c"), "123");

    assertThat(Workspace.bytes(temp)).isEqualTo(8);
  }
}
