package io.stele.tables.meta;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;

/**
 * Any bytes as one word of plain text, so that values in META can be read, searched and joined by
 * spaces: a percent sign and two digits for each byte that is not a printable ASCII character, and
 * for the four that mean something between words.
 */
final class MetaText {
  private static final String MARKS = " %=,";
  private static final String DIGITS = "0123456789ABCDEF";

  private MetaText() {}

  static String escape(String text) {
    return escape(Bytes.utf8(text));
  }

  static String escape(Bytes bytes) {
    StringBuilder word = new StringBuilder(bytes.length());
    for (int i = 0; i < bytes.length(); i++) {
      byte b = bytes.at(i);
      if (b > ' ' && b < 0x7f && MARKS.indexOf(b) < 0) {
        word.append((char) b);
      } else {
        word.append('%').append(DIGITS.charAt((b >> 4) & 0xf)).append(DIGITS.charAt(b & 0xf));
      }
    }
    return word.toString();
  }

  /**
   * Undoes {@link #escape}.
   *
   * @throws Malformed if it is no such word
   */
  static Bytes unescape(String word) throws Malformed {
    ByteBuilder bytes = new ByteBuilder(word.length());
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (c == '%') {
        boolean whole = i + 2 < word.length();
        int high = whole ? DIGITS.indexOf(word.charAt(i + 1)) : -1;
        int low = whole ? DIGITS.indexOf(word.charAt(i + 2)) : -1;
        if (high < 0 || low < 0) {
          throw new Malformed(i, "a percent sign without two digits from 0 to F behind it");
        }
        bytes.putByte(high << 4 | low);
        i += 2;
      } else if (c > ' ' && c < 0x7f && MARKS.indexOf(c) < 0) {
        bytes.putByte(c);
      } else {
        throw new Malformed(i, "a character that must be written as a percent sign and two digits");
      }
    }
    return bytes.toBytes();
  }
}
