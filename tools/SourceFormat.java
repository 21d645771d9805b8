import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks or rewrites the layout of every Java source below the current directory with
 * google-java-format. The build runs it as a source file under the JDK it compiles with: the
 * formatter parses with that JDK's own javac, so it has to be as new as the syntax it reads, which
 * the JVM that runs Maven need not be.
 *
 * <p>{@code check} prints the files that would change and lists them in the report file, which does
 * not exist when all is well (a rule of the build looks at it); {@code write} rewrites them.
 *
 * <p>Most builds change few files, so what was found well formatted once is not parsed again: the
 * third argument names a file outside the tree that keeps the SHA-256 of such sources, one a line,
 * for one version of the formatter. It may be deleted at any time.
 */
final class SourceFormat {

  private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", "node_modules");

  /** How many checksums are kept: several trees of this project share the file. */
  private static final int MOST_KNOWN = 50_000;

  /** A file whose layout is not the formatter's; {@code problem} if it cannot be parsed at all. */
  private record Finding(Path file, String formatted, Optional<String> problem) {}

  private final Set<String> known;
  private final Set<String> seen = ConcurrentHashMap.newKeySet(); // well formatted, of this tree

  private SourceFormat(Set<String> known) {
    this.known = known;
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 3 || !Set.of("check", "write").contains(args[0])) {
      System.err.println(
          "arguments are "
              + List.of(args)
              + "; they must be 'check' or 'write', a report file and a file of checksums");
      System.exit(2);
    }
    Path checksums = Path.of(args[2]);
    SourceFormat format =
        new SourceFormat(
            Files.exists(checksums) ? Set.copyOf(Files.readAllLines(checksums)) : Set.of());
    List<Finding> findings =
        javaSources(Path.of("")).parallelStream()
            .map(format::inspect)
            .flatMap(Optional::stream)
            .toList();
    format.save(checksums);
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

  private Optional<Finding> inspect(Path file) {
    try {
      String source = Files.readString(file);
      String checksum = checksum(source);
      if (known.contains(checksum)) {
        seen.add(checksum);
        return Optional.empty();
      }
      String formatted = new Formatter().formatSourceAndFixImports(source);
      if (formatted.equals(source)) {
        seen.add(checksum);
        return Optional.empty();
      }
      return Optional.of(new Finding(file, formatted, Optional.empty()));
    } catch (FormatterException e) {
      return Optional.of(new Finding(file, "", Optional.of(e.getMessage())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String checksum(String source) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(source.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /** Writes the checksums of this tree, and those of others while there is room. */
  private void save(Path file) throws IOException {
    if (known.containsAll(seen)) {
      return;
    }
    Set<String> all = new LinkedHashSet<>(seen);
    known.stream().limit(Math.max(0, MOST_KNOWN - seen.size())).forEach(all::add);
    Files.createDirectories(file.toAbsolutePath().getParent());
    Path draft = Files.createTempFile(file.toAbsolutePath().getParent(), "checksums", null);
    Files.write(draft, all);
    Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
