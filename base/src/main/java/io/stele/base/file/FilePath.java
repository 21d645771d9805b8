package io.stele.base.file;

import io.stele.base.error.InvalidRequestException;

/**
 * The name of a file or directory inside one {@link FileStore}: segments joined by {@code /},
 * relative to the store's root. It can never climb out of the root: {@code .}, {@code ..}, empty
 * segments, backslashes and control characters are refused. The empty path is the root itself.
 */
public record FilePath(String value) implements Comparable<FilePath> {
  public static final FilePath ROOT = new FilePath("");

  public FilePath {
    if (!value.isEmpty()) {
      for (String segment : value.split("/", -1)) {
        checkSegment(value, segment);
      }
    }
  }

  public static FilePath of(String value) {
    return new FilePath(value);
  }

  /** The path of {@code name} (one or more segments) below this one. */
  public FilePath resolve(String name) {
    return value.isEmpty() ? new FilePath(name) : new FilePath(value + "/" + name);
  }

  /** The last segment; empty for the root. */
  public String name() {
    return value.substring(value.lastIndexOf('/') + 1);
  }

  /** The directory that holds this path; the root's parent is the root. */
  public FilePath parent() {
    int slash = value.lastIndexOf('/');
    return slash < 0 ? ROOT : new FilePath(value.substring(0, slash));
  }

  @Override
  public int compareTo(FilePath other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }

  private static void checkSegment(String whole, String segment) {
    boolean bad = segment.isEmpty() || segment.equals(".") || segment.equals("..");
    for (int i = 0; i < segment.length() && !bad; i++) {
      char c = segment.charAt(i);
      bad = c < ' ' || c == '\\' || c == 0x7f;
    }
    if (bad) {
      throw new InvalidRequestException(
          "file path \"" + whole + "\": segment \"" + segment + "\" is not a plain name");
    }
  }
}
