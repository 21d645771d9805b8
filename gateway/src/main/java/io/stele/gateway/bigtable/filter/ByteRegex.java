package io.stele.gateway.bigtable.filter;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression of RE2 over raw bytes that must match all of them.
 *
 * <p>Each byte, of the expression and of what is matched, stands for the character of the same
 * number, as in RE2's Latin-1 mode: so a literal of several bytes in UTF-8 matches itself, and
 * {@code .} one byte. What the library does not know is {@code \C}, any byte at all, which becomes
 * {@code (?s:.)}. Most expressions that clients send are literals, which need no library.
 */
final class ByteRegex {
  private static final String ANY_BYTE = "(?s:.)";

  private final String text; // the expression, a character for each byte
  private final Optional<Bytes> literal;
  private final @Nullable Pattern pattern; // none for a literal

  private ByteRegex(String text, Optional<Bytes> literal, @Nullable Pattern pattern) {
    this.text = text;
    this.literal = literal;
    this.pattern = pattern;
  }

  /**
   * Compiles an expression.
   *
   * @param field that it was given in, for the message if it is none
   */
  static ByteRegex compile(byte[] expression, String field) {
    String text = new String(expression, StandardCharsets.ISO_8859_1);
    Optional<Bytes> literal = literalOf(text);
    if (literal.isPresent()) {
      return new ByteRegex(text, literal, null);
    }
    try {
      return new ByteRegex(text, literal, Pattern.compile(withAnyByte(text)));
    } catch (PatternSyntaxException e) {
      throw new InvalidRequestException(
          field + " \"" + Bytes.of(expression) + "\": not an expression of RE2: " + e.getMessage(),
          e);
    }
  }

  boolean matches(byte[] array, int offset, int length) {
    if (pattern == null) {
      byte[] wanted = literal.orElse(Bytes.EMPTY).sharedArray();
      return wanted.length == length
          && Arrays.equals(wanted, 0, length, array, offset, offset + length);
    }
    return pattern.matches(new String(array, offset, length, StandardCharsets.ISO_8859_1));
  }

  /** The one byte string that it matches, if it is so simple that this is plain to see. */
  Optional<Bytes> literal() {
    return literal;
  }

  /** What all that it matches begins with; empty if that is not plain to see. */
  Bytes prefix() {
    if (literal.isPresent()) {
      return literal.get();
    }
    StringBuilder prefix = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      int end = literalEnd(at);
      if (end < 0 || (end < text.length() && "*?+{".indexOf(text.charAt(end)) >= 0)) {
        break;
      }
      prefix.append(literalAt(at));
      at = end;
    }
    // In "ab|c" nothing is common: an alternative may stand anywhere behind.
    return text.indexOf('|') >= 0 ? Bytes.EMPTY : bytes(prefix);
  }

  private int literalEnd(int at) {
    return literalEnd(text, at);
  }

  private char literalAt(int at) {
    return literalAt(text, at);
  }

  private static Optional<Bytes> literalOf(String text) {
    StringBuilder literal = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      int end = literalEnd(text, at);
      if (end < 0) {
        return Optional.empty();
      }
      literal.append(literalAt(text, at));
      at = end;
    }
    return Optional.of(bytes(literal));
  }

  private static Bytes bytes(CharSequence latin1) {
    return Bytes.wrap(latin1.toString().getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Where the literal that begins here ends; negative if it is something else. */
  private static int literalEnd(String text, int at) {
    char c = text.charAt(at);
    if (c != '\\') {
      return ".*+?()[]{}|^$".indexOf(c) >= 0 ? -1 : at + 1;
    }
    if (at + 1 == text.length()) {
      return -1;
    }
    char escaped = text.charAt(at + 1);
    if (escaped < 0x80 && !Character.isLetterOrDigit(escaped)) {
      return at + 2;
    }
    return escaped == 'x'
            && at + 3 < text.length()
            && hex(text.charAt(at + 2)) >= 0
            && hex(text.charAt(at + 3)) >= 0
        ? at + 4
        : -1;
  }

  private static char literalAt(String text, int at) {
    if (text.charAt(at) != '\\') {
      return text.charAt(at);
    }
    return text.charAt(at + 1) == 'x'
        ? (char) (hex(text.charAt(at + 2)) * 16 + hex(text.charAt(at + 3)))
        : text.charAt(at + 1);
  }

  private static int hex(char c) {
    return Character.digit(c, 16);
  }

  private static String withAnyByte(String text) {
    if (!text.contains("\\C")) {
      return text;
    }
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '\\' || at + 1 == text.length()) {
        out.append(c);
        at++;
      } else if (text.charAt(at + 1) == 'C') {
        out.append(ANY_BYTE);
        at += 2;
      } else {
        int end = text.charAt(at + 1) == 'Q' ? quotedEnd(text, at) : at + 2;
        out.append(text, at, end);
        at = end;
      }
    }
    return out.toString();
  }

  /** Where quoted text ends: in it, a backslash is nothing but itself. */
  private static int quotedEnd(String text, int at) {
    int end = text.indexOf("\\E", at + 2);
    return end < 0 ? text.length() : end + 2;
  }

  @Override
  public String toString() {
    return text;
  }
}
