package io.stele.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A checked-in file of a stored format, in {@code src/test/resources/format}: written once by the
 * code that introduced a version of the format, and read by every later one.
 *
 * <pre>{@code
 * byte[] stored = FormatFile.read("manifest-v1.bin", MANIFEST.encode());
 * assertThat(Manifest.decode(stored)).isEqualTo(MANIFEST);
 * }</pre>
 *
 * <p>When a format gets another version, the tests of the old files go on with {@link
 * #read(String)}. {@code -Dgolden.write=true} writes files that do not exist yet; it never replaces
 * one.
 */
public final class FormatFile {
  private static final Path DIRECTORY = Path.of("src/test/resources/format");

  private FormatFile() {}

  /** The file of a version that the code no longer writes. */
  public static byte[] read(String name) {
    try {
      return Files.readAllBytes(DIRECTORY.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The file of the version that the code writes; asserts that it still writes the same bytes.
   *
   * @param written what the code writes now
   */
  public static byte[] read(String name, byte[] written) {
    byte[] stored = readSalted(name, written);
    assertThat(written).as("what the code writes for %s", name).isEqualTo(stored);
    return stored;
  }

  /** As above, of a format with a random salt: what the code writes now has other bytes. */
  public static byte[] readSalted(String name, byte[] written) {
    Path file = DIRECTORY.resolve(name);
    if (Boolean.getBoolean("golden.write") && !Files.exists(file)) {
      try {
        Files.createDirectories(DIRECTORY);
        Files.write(file, written);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return read(name);
  }
}
