package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewFileTest {

  private static final byte[] CONTENT = "content".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;

  @Test
  void theFileIsThereOnceItIsWhole() throws Exception {
    Path file = folder.resolve("backup");

    long bytes =
        NewFile.write(
            file,
            out -> {
              out.write(CONTENT);
              out.flush();
              assertThat(file).doesNotExist();
            });

    assertThat(bytes).isEqualTo(CONTENT.length);
    assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file));
    assertThat(file).hasBinaryContent(CONTENT);
  }

  @Test
  void nothingIsLeftOfAFileThatFailed() {
    Path file = folder.resolve("backup");

    assertThatThrownBy(
            () ->
                NewFile.write(
                    file,
                    out -> {
                      out.write(CONTENT);
                      throw new IOException("connection lost");
                    }))
        .hasMessage("connection lost");

    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFileThatExistsIsNotTouched() throws Exception {
    Path file = Files.writeString(folder.resolve("backup"), "older");

    assertThatThrownBy(() -> NewFile.write(file, out -> out.write(CONTENT)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("file '" + file + "' exists: name one that does not");
    assertThat(file).hasContent("older");
  }

  @Test
  void oneThatCameMeanwhileIsNotTouchedEither() throws Exception {
    Path file = folder.resolve("backup");

    assertThatThrownBy(() -> NewFile.write(file, out -> Files.writeString(file, "faster")))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(file).hasContent("faster");
    assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file));
  }

  @Test
  void aMissingDirectoryIsNamed() {
    assertThatThrownBy(() -> NewFile.write(folder.resolve("no/backup"), out -> {}))
        .hasMessage("there is no directory '" + folder.resolve("no") + "' to put the file in");
  }
}
