package io.stele.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoldenFilesTest {
  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = directory.resolve("case.txt");
  }

  /** Upper-cases its input, or repeats the words behind the command. */
  private static String answer(GoldenBlock block) {
    return switch (block.command()) {
      case "upper" -> block.input().toUpperCase(Locale.ROOT);
      case "words" -> String.join("\n", block.arguments());
      case "nothing" -> "";
      default -> throw block.unknown("upper", "words", "nothing");
    };
  }

  /** Writes the file; a bar stands for a line end. */
  private void given(String text) throws IOException {
    Files.writeString(file, text.replace('|', '\n') + "\n");
  }

  private String text() throws IOException {
    return Files.readString(file).stripTrailing().replace('\n', '|');
  }

  private void check() throws Exception {
    GoldenFiles.check(file, GoldenFilesTest::answer, false);
  }

  private void write() throws Exception {
    GoldenFiles.check(file, GoldenFilesTest::answer, true);
  }

  @Test
  void passesWhenEveryOutputIsTheExpectedOne() throws Exception {
    given("# how it is|upper|one|two|----|ONE|TWO||words a b|----|a|b||nothing|----");

    check();
  }

  @Test
  void aBlockKnowsItsLineArgumentsAndInput() throws Exception {
    given("|# c|scan from=a to=b=c all|x||y|----|done");
    List<GoldenBlock> seen = new ArrayList<>();

    GoldenFiles.check(
        file,
        block -> {
          seen.add(block);
          return "done\n";
        },
        false);

    GoldenBlock block = seen.getFirst();
    assertThat(seen).hasSize(1);
    assertThat(block.line()).isEqualTo(3);
    assertThat(block.command()).isEqualTo("scan");
    assertThat(block.value("from")).contains("a");
    assertThat(block.value("to")).contains("b=c");
    assertThat(block.value("all")).isEmpty();
    assertThat(block.has("all")).isTrue();
    assertThat(block.has("none")).isFalse();
    assertThat(block.inputLines()).containsExactly("x", "", "y");
  }

  @Test
  void aFailureNamesFileLineCommandAndEveryLineThatDiffers() throws IOException {
    given("upper|one|two|three|----|ONE|2|THREE||words a|----|b");

    assertThatThrownBy(this::check)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("case.txt:1: upper")
        .hasMessageContaining("  ONE\n- 2\n+ TWO\n  THREE\n")
        .hasMessageContaining("case.txt:10: words a")
        .hasMessageContaining("- b\n+ a\n")
        .hasMessageContaining("-Dgolden.write=true");
  }

  @Test
  void missingAndAdditionalOutputFails() throws IOException {
    given("upper|one|----");
    assertThatThrownBy(this::check).hasMessageContaining("+ ONE");

    given("nothing|----|something");
    assertThatThrownBy(this::check).hasMessageContaining("- something");
  }

  @Test
  void writingReplacesOutputsAndKeepsEverythingElse() throws Exception {
    given("# first||upper|one|----|wrong|||# second|words  a   b|----|old||# the end");

    write();

    assertThat(text())
        .isEqualTo("# first||upper|one|----|ONE|||# second|words  a   b|----|a|b||# the end");
    check();
  }

  @Test
  void outputWithEmptyLinesStandsBetweenDoubledMarks() throws Exception {
    given("upper|a||b|----|?||nothing|----");

    write();

    assertThat(text()).isEqualTo("upper|a||b|----|----|A||B|----|----||nothing|----");
    check();
  }

  @Test
  void aFileWithoutMarkOrWithoutItsSecondDoubledMarkIsRefused() throws IOException {
    given("upper|a|ONE");
    assertThatThrownBy(this::check).hasMessageContaining("case.txt:1").hasMessageContaining("----");

    given("# x|upper|a|----|----|A");
    assertThatThrownBy(this::check)
        .hasMessageContaining("case.txt:2")
        .hasMessageContaining("not closed");
  }

  @Test
  void aFileWithoutBlocksAndADirectoryWithoutFilesAreErrors() throws IOException {
    given("# nothing here");
    assertThatThrownBy(this::check).hasMessageContaining("no blocks");

    Files.delete(file);
    assertThatThrownBy(() -> GoldenFiles.tests(directory, () -> GoldenFilesTest::answer))
        .hasMessageContaining("no .txt in");
  }

  @Test
  void aCommandThatFailsNamesFileAndLine() throws IOException {
    given("|lower|----");

    assertThatThrownBy(this::check)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("case.txt:2")
        .hasMessageContaining("known are nothing, upper, words");
  }

  @Test
  void eachFileIsATestOfItsOwn() throws IOException {
    given("nothing|----");
    Files.writeString(directory.resolve("another.txt"), "nothing\n----\n");
    Files.writeString(directory.resolve("notes.md"), "not a test");

    assertThat(GoldenFiles.tests(directory, () -> GoldenFilesTest::answer))
        .extracting(DynamicTest::getDisplayName)
        .containsExactly("another.txt", "case.txt");
  }
}
