package io.stele.metastore.key;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What a key must look like: an absolute path, such as {@code /service/members/a}.
 *
 * <pre>
 *   key       := ( "/" component )+          at most 4,096 bytes of UTF-8
 *   component := 1 to 255 bytes, no "/", no control characters, neither "." nor ".."
 * </pre>
 *
 * <p>A directory is written like a key; {@link #ROOT} alone is a directory and not a key.
 */
public final class PathKey {
  public static final Bytes ROOT = Bytes.utf8("/");
  public static final int MAX_BYTES = 4096;
  public static final int MAX_COMPONENT = 255;

  private static final int SHOWN = 128;

  private PathKey() {}

  /** The key of a path, checked. */
  public static Bytes of(String path) {
    return check(Bytes.utf8(path));
  }

  /** Returns the key, or fails saying what is wrong with it, and where. */
  public static Bytes check(Bytes key) {
    Optional<String> problem = problem(key);
    if (problem.isPresent()) {
      throw new InvalidRequestException(problem.get());
    }
    return key;
  }

  /** What is wrong with a key, if anything: a sentence for the one who made it. */
  public static Optional<String> problem(Bytes key) {
    String found = find(key);
    return found.isEmpty() ? Optional.empty() : Optional.of("key " + shown(key) + ": " + found);
  }

  /** As {@link #problem}, for a directory. */
  public static Optional<String> directoryProblem(Bytes directory) {
    if (directory.equals(ROOT)) {
      return Optional.empty();
    }
    String found = find(directory);
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of("directory " + shown(directory) + ": " + found);
  }

  /** What the keys below a directory begin with. */
  public static Bytes prefixOf(Bytes directory) {
    return directory.equals(ROOT) ? ROOT : directory.concat(ROOT);
  }

  /** The directory that a path lies in; the root lies in itself. */
  public static Bytes parent(Bytes path) {
    byte[] array = path.sharedArray();
    int slash = array.length - 1;
    while (slash > 0 && array[slash] != '/') {
      slash--;
    }
    return slash <= 0 ? ROOT : Bytes.copyOf(array, 0, slash);
  }

  private static String find(Bytes key) {
    byte[] array = key.sharedArray();
    if (array.length == 0) {
      return "is empty; must be an absolute path such as /directory/name";
    }
    if (array.length > MAX_BYTES) {
      return "has " + array.length + " bytes, at most " + MAX_BYTES;
    }
    if (array[0] != '/') {
      return "must begin with /";
    }
    boolean ascii = true;
    int start = 1; // of the component
    for (int at = 1; at <= array.length; at++) {
      if (at == array.length || array[at] == '/') {
        String problem = component(array, start, at);
        if (!problem.isEmpty()) {
          return problem;
        }
        start = at + 1;
      } else if (array[at] < 0) {
        ascii = false;
      } else if (array[at] < ' ' || array[at] == 0x7f) {
        return "control character " + hex(array[at]) + " at byte " + at;
      }
    }
    return ascii ? "" : notText(array);
  }

  private static String component(byte[] array, int start, int end) {
    int length = end - start;
    if (length == 0) {
      return end == array.length
          ? (start == 1 ? "is the root, which is no key" : "must not end with /")
          : "empty component at byte " + start;
    }
    if (length > MAX_COMPONENT) {
      return "component of " + length + " bytes at byte " + start + ", at most " + MAX_COMPONENT;
    }
    boolean dots = length <= 2 && array[start] == '.' && array[end - 1] == '.';
    return dots
        ? "component " + (length == 1 ? "." : "..") + " at byte " + start + " is not a name"
        : "";
  }

  private static String notText(byte[] array) {
    ByteBuffer in = ByteBuffer.wrap(array);
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(in).toString();
    } catch (CharacterCodingException e) {
      return "not UTF-8 at byte " + in.position();
    }
    for (int i = 0, at = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      if (Character.isISOControl(point)) {
        return "control character U+" + "%04X".formatted(point) + " at byte " + at;
      }
      at += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      i += Character.charCount(point);
    }
    return "";
  }

  private static String hex(byte value) {
    return "0x%02x".formatted(value);
  }

  private static String shown(Bytes key) {
    return key.length() <= SHOWN
        ? "\"" + key + "\""
        : "\"" + Bytes.copyOf(key.sharedArray(), 0, SHOWN) + "\"...";
  }
}
