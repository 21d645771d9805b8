import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks or rewrites the layout of every Java source below the current directory with
 * google-java-format. The build runs it as a source file under the JDK it compiles with: the
 * formatter parses with that JDK's own javac, so it has to be as new as the syntax it reads, which
 * the JVM that runs Maven need not be.
 *
 * <p>{@code check} prints the files that would change and lists them in the report file, which does
 * not exist when all is well (a rule of the build looks at it); {@code write} rewrites them.
 */
final class SourceFormat {

  private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", "node_modules");

  /** A file whose layout is not the formatter's; {@code problem} if it cannot be parsed at all. */
  private record Finding(Path file, String formatted, Optional<String> problem) {}

  public static void main(String[] args) throws IOException {
    if (args.length != 2 || !Set.of("check", "write").contains(args[0])) {
      System.err.println(
          "arguments are "
              + List.of(args)
              + "; they must be 'check' or 'write', and a report file");
      System.exit(2);
    }
    List<Finding> findings =
        javaSources(Path.of("")).parallelStream()
            .map(SourceFormat::inspect)
            .flatMap(Optional::stream)
            .toList();
    List<String> complaints = new ArrayList<>();
    for (Finding finding : findings) {
      if (finding.problem().isPresent()) {
        complaints.add(finding.file() + " cannot be parsed: " + finding.problem().get());
      } else if (args[0].equals("write")) {
        Files.writeString(finding.file(), finding.formatted());
        System.out.println("formatted " + finding.file());
      } else {
        complaints.add(finding.file() + " is not formatted");
      }
    }
    Path report = Path.of(args[1]);
    Files.deleteIfExists(report);
    if (!complaints.isEmpty()) {
      complaints.forEach(System.err::println);
      Files.write(report, complaints);
    }
  }

  private static List<Path> javaSources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            return SKIPPED_FOLDERS.contains(String.valueOf(dir.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    sources.sort(null);
    return sources;
  }

  private static Optional<Finding> inspect(Path file) {
    try {
      String source = Files.readString(file);
      String formatted = new Formatter().formatSourceAndFixImports(source);
      return formatted.equals(source)
          ? Optional.empty()
          : Optional.of(new Finding(file, formatted, Optional.empty()));
    } catch (FormatterException e) {
      return Optional.of(new Finding(file, "", Optional.of(e.getMessage())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
