package io.stele.tables;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page that names a test for each sentence of the design notes tells the truth. */
class DesignSentencesTest {
  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*(?:Test|IT))\\.(\\w+)`");
  private static final int LONGEST = 12; // words of a quotation
  private static final int SHORTEST_REASON = 3; // words

  private record Row(String sentence, String answer) {}

  @Test
  void everyTestThatThePageNamesExists() throws IOException {
    Path root = root();
    Map<String, List<Path>> sources = testSources(root);
    Map<Path, String> read = new HashMap<>();
    Set<String> missing = new TreeSet<>();
    int found = 0;
    for (Row row : rows(root)) {
      Matcher named = NAMED.matcher(row.answer);
      while (named.find()) {
        Pattern method =
            Pattern.compile(
                "@(?:Test|ParameterizedTest)\\b(?:(?!\\n  }\\n)[\\s\\S])*?\\bvoid "
                    + named.group(2)
                    + "\\(");
        boolean exists = false;
        for (Path source : sources.getOrDefault(named.group(1), List.of())) {
          if (!read.containsKey(source)) {
            read.put(source, Files.readString(source));
          }
          exists |= method.matcher(read.get(source)).find();
        }
        if (exists) {
          found++;
        } else {
          missing.add(named.group(1) + "." + named.group(2));
        }
      }
    }
    assertThat(missing).as("tests that docs/design-sentences.md names and that are not").isEmpty();
    assertThat(found).isGreaterThan(100);
  }

  @Test
  void everySentenceHasATestOrAReasonAndIsQuotedShortly() throws IOException {
    for (Row row : rows(root())) {
      String reason = NAMED.matcher(row.answer).replaceAll("");
      boolean hasTest = !reason.equals(row.answer);
      assertThat(hasTest || words(reason) >= SHORTEST_REASON).as("%s", row).isTrue();
      assertThat(row.sentence).as("a quotation").contains("\"");
      assertThat(words(row.sentence)).as("words of %s", row.sentence).isLessThanOrEqualTo(LONGEST);
    }
  }

  private static int words(String text) {
    return (int) Pattern.compile("[\\p{L}\\p{N}]\\S*").matcher(text).results().count();
  }

  private static List<Row> rows(Path root) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(root.resolve("docs/design-sentences.md"))) {
      if (!line.startsWith("| ") || line.startsWith("| sentence |")) {
        continue;
      }
      String[] cells = line.substring(1, line.lastIndexOf('|')).split(" \\| ", -1);
      assertThat(cells).as(line).hasSize(2);
      rows.add(new Row(cells[0].strip(), cells[1].strip()));
    }
    return rows;
  }

  private static Path root() {
    Path at = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(at.resolve("docs/adr"))) {
      at = at.getParent();
      assertThat(at).as("the folder that has docs/adr").isNotNull();
    }
    return at;
  }

  private static Map<String, List<Path>> testSources(Path root) throws IOException {
    Map<String, List<Path>> sources = new HashMap<>();
    try (var modules = Files.newDirectoryStream(root)) {
      for (Path module : modules) {
        Path tests = module.resolve("src/test/java");
        if (Files.isDirectory(tests)) {
          Files.walkFileTree(
              tests,
              new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                  String name = file.getFileName().toString();
                  if (name.endsWith(".java")) {
                    String type = name.substring(0, name.length() - ".java".length());
                    sources.computeIfAbsent(type, _ -> new ArrayList<>()).add(file);
                  }
                  return FileVisitResult.CONTINUE;
                }
              });
        }
      }
    }
    return sources;
  }
}
