package io.stele.cli;

import java.lang.Character.UnicodeScript;
import java.util.Set;

/** How many columns of a terminal a text takes: two for most of East Asia's signs and emoji. */
public final class DisplayWidth {
  private static final int ASCII = 0x7f;
  private static final Set<UnicodeScript> WIDE =
      Set.of(
          UnicodeScript.HIRAGANA,
          UnicodeScript.KATAKANA,
          UnicodeScript.HANGUL,
          UnicodeScript.BOPOMOFO);

  // Latin letters as wide as ideographs, then Katakana and Hangul half as wide.
  private static final int FIRST_FULL_WIDTH = 0xff01;
  private static final int FIRST_HALF_WIDTH = 0xff61;
  private static final int LAST_HALF_WIDTH = 0xffdc;

  private DisplayWidth() {}

  /** The columns of a text without control characters. */
  public static int of(String text) {
    int plain = 0;
    while (plain < text.length() && text.charAt(plain) <= ASCII) {
      plain++;
    }
    return plain == text.length()
        ? plain
        : plain + text.codePoints().skip(plain).map(DisplayWidth::columns).sum();
  }

  private static int columns(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
      default -> isWide(codePoint) ? 2 : 1;
    };
  }

  private static boolean isWide(int codePoint) {
    if (codePoint >= FIRST_HALF_WIDTH && codePoint <= LAST_HALF_WIDTH) {
      return false;
    }
    return Character.isIdeographic(codePoint)
        || Character.isEmojiPresentation(codePoint)
        || (codePoint >= FIRST_FULL_WIDTH && codePoint < FIRST_HALF_WIDTH)
        || WIDE.contains(UnicodeScript.of(codePoint));
  }

  /** Spaces that fill a text up to a width; none if it is as wide already. */
  public static String padding(String text, int width) {
    return " ".repeat(Math.max(0, width - of(text)));
  }
}
