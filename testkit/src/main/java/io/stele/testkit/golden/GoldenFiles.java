package io.stele.testkit.golden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs tests that are text files: each block of a file has a command and an input, the test turns
 * them into an output, and that must be the text behind the mark.
 *
 * <pre>
 *   # a comment
 *   command word name=value
 *   input, as many lines as it takes
 *   ----
 *   the output, up to the next empty line or the end of the file
 * </pre>
 *
 * An output with empty lines stands between two doubled marks. Comments and empty lines between
 * blocks are free. With {@code -Dgolden.write=true} the files are rewritten with what the code
 * answers now: read the difference before committing it.
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicTest> plans() throws IOException {
 *   return GoldenFiles.tests(Path.of("src/test/resources/golden/plan"), PlanCommands::new);
 * }
 * }</pre>
 */
public final class GoldenFiles {
  private static final String WRITE = "golden.write";

  /** What a test does with the blocks of one file, one after the other. */
  @FunctionalInterface
  public interface Commands {
    /** The output of a block; a missing line end at its end is added. */
    String run(GoldenBlock block) throws Exception;
  }

  private GoldenFiles() {}

  /**
   * One test for each {@code .txt} in a directory, by name; an empty directory is an error.
   *
   * @param commands makes a new one for each file
   */
  public static Stream<DynamicTest> tests(Path directory, Supplier<? extends Commands> commands)
      throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(directory)) {
      files = found.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
    }
    if (files.isEmpty()) {
      throw new IllegalArgumentException("no .txt in " + directory.toAbsolutePath());
    }
    return files.stream()
        .map(file -> DynamicTest.dynamicTest(nameOf(file), () -> check(file, commands.get())));
  }

  /** Runs one file, or rewrites it if the system property asks for that. */
  public static void check(Path file, Commands commands) throws Exception {
    check(file, commands, Boolean.getBoolean(WRITE));
  }

  static void check(Path file, Commands commands, boolean write) throws Exception {
    String before = Files.readString(file);
    GoldenText text = GoldenText.parse(nameOf(file), before);
    if (text.blocks().isEmpty()) {
      throw new IllegalArgumentException(file + " has no blocks");
    }
    List<String> outputs = new ArrayList<>();
    StringBuilder failures = new StringBuilder();
    for (GoldenBlock block : text.blocks()) {
      String output = complete(run(file, commands, block));
      outputs.add(output);
      if (!output.equals(block.expected())) {
        failures.append(describe(file, block, output));
      }
    }
    if (write) {
      String after = text.with(outputs);
      if (!after.equals(before)) {
        Files.writeString(file, after);
      }
    } else if (!failures.isEmpty()) {
      throw new AssertionError(
          failures + "If the new output is right: run the test with -D" + WRITE + "=true");
    }
  }

  private static String run(Path file, Commands commands, GoldenBlock block) {
    try {
      return commands.run(block);
    } catch (Exception e) {
      throw new AssertionError(
          nameOf(file) + ":" + block.line() + ": " + block.command() + " failed: " + e, e);
    }
  }

  private static String describe(Path file, GoldenBlock block, String output) {
    return "%s:%d: %s %s%n(- expected, + found)%n%s%n"
        .formatted(
            nameOf(file),
            block.line(),
            block.command(),
            String.join(" ", block.arguments()),
            LineDiff.of(block.expected(), output));
  }

  private static String complete(String output) {
    return output.isEmpty() || output.endsWith("\n") ? output : output + "\n";
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName());
  }
}
