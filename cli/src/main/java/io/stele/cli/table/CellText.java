package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import io.stele.cli.ValueText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Rows, columns and values, which are bytes, as people type and read them.
 *
 * <p>A text stands for its UTF-8; {@code \xHH} is a byte, {@code \n \t \r \\} are what they are
 * elsewhere. Everything that is shown can be typed again. As an argument, {@code hex:00ff} and
 * {@code base64:AP8=} are bytes as well, and what follows {@code text:} is taken as it is.
 */
public final class CellText {
  private static final String HEX = "hex:";
  private static final String BASE64 = "base64:";
  private static final String PLAIN = "text:";

  private CellText() {}

  /** On one line, without anything that a terminal would act upon. */
  public static String show(Bytes bytes) {
    StringBuilder shown = new StringBuilder();
    ValueText.text(bytes)
        .ifPresentOrElse(
            text -> text.codePoints().forEach(c -> append(shown, c)),
            () -> {
              for (int i = 0; i < bytes.length(); i++) {
                int b = bytes.at(i) & 0xff;
                if (b < 0x80) {
                  append(shown, b);
                } else {
                  appendByte(shown, b);
                }
              }
            });
    return shown.toString();
  }

  /** {@code family:qualifier}. */
  public static String show(Column column) {
    return show(column.family()) + ":" + show(column.qualifier());
  }

  private static void append(StringBuilder shown, int c) {
    switch (c) {
      case '\n' -> shown.append("\\n");
      case '\t' -> shown.append("\\t");
      case '\r' -> shown.append("\\r");
      case '\\' -> shown.append("\\\\");
      default -> {
        if (Character.isISOControl(c)) {
          for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
            appendByte(shown, b & 0xff);
          }
        } else {
          shown.appendCodePoint(c);
        }
      }
    }
  }

  private static void appendByte(StringBuilder shown, int b) {
    shown.append("\\x").append(HexFormat.of().toHexDigits((byte) b));
  }

  /** Reads what {@link #show} writes; a message names the thing by {@code what}. */
  public static Bytes unescape(String what, String text) {
    if (text.indexOf('\\') < 0) {
      return Bytes.utf8(text);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      if (c != '\\') {
        bytes.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
        at += Character.charCount(c);
        continue;
      }
      char kind = at + 1 < text.length() ? text.charAt(at + 1) : 0;
      bytes.write(
          switch (kind) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case '\\' -> '\\';
            case 'x' -> hexByte(what, text, at);
            default -> throw escape(what, text, at);
          });
      at += kind == 'x' ? 4 : 2;
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private static int hexByte(String what, String text, int at) {
    if (at + 4 > text.length()
        || !HexFormat.isHexDigit(text.charAt(at + 2))
        || !HexFormat.isHexDigit(text.charAt(at + 3))) {
      throw escape(what, text, at);
    }
    return HexFormat.fromHexDigits(text, at + 2, at + 4);
  }

  private static InvalidRequestException escape(String what, String text, int at) {
    return new InvalidRequestException(
        "%s '%s' at character %d: there are the escapes \\n \\t \\r \\\\ and \\xHH; put text: in front to take it as it is"
            .formatted(what, text, at + 1));
  }

  /** Reads an argument, which may also be in another notation. */
  public static Bytes argument(String what, String text) {
    if (text.startsWith(PLAIN)) {
      return Bytes.utf8(text.substring(PLAIN.length()));
    }
    if (text.startsWith(HEX)) {
      return hex(what, text);
    }
    return text.startsWith(BASE64) ? base64(what, text) : unescape(what, text);
  }

  private static Bytes hex(String what, String text) {
    try {
      return Bytes.wrap(HexFormat.of().parseHex(text.substring(HEX.length())));
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "%s '%s': behind hex: must be pairs of hexadecimal digits".formatted(what, text), e);
    }
  }

  private static Bytes base64(String what, String text) {
    try {
      return Bytes.wrap(Base64.getDecoder().decode(text.substring(BASE64.length())));
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "%s '%s': behind base64: must be base 64".formatted(what, text), e);
    }
  }

  /** Reads the key of a row, which has at least one byte. */
  public static Bytes row(String text) {
    Bytes row = argument("row", text);
    if (row.isEmpty()) {
      throw new InvalidRequestException("row '" + text + "': a row key has at least one byte");
    }
    return row;
  }

  /** Reads {@code family:qualifier}, parted at the first colon. */
  public static Column column(String text) {
    int colon = text.indexOf(':');
    if (colon < 1) {
      throw new InvalidRequestException(
          "column '%s': must be FAMILY:QUALIFIER, such as %s:name"
              .formatted(text, colon < 0 && !text.isEmpty() ? text : "profile"));
    }
    return new Column(
        Bytes.utf8(text.substring(0, colon)), argument("qualifier", text.substring(colon + 1)));
  }

  /** True for {@code family:}, which in reading and deleting is the whole family. */
  public static boolean isFamily(String column) {
    return column.indexOf(':') == column.length() - 1;
  }
}
