package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The path of a request, {@code /DATASET/KEY}. The key is all that follows the dataset's slash,
 * more slashes included, as the bytes that it stands for: {@code %2F} is a slash as {@code /} is,
 * {@code %FF} a byte that no text has, and {@code +} a plus. Nothing is made simpler on the way:
 * {@code a/../b} and {@code a//b} are keys like others.
 *
 * @param key empty for a path that has none
 */
record RequestPath(String dataset, Bytes key) {
  private static final char BROKEN = '\uFFFD'; // what decoding leaves of bytes that are no text
  private static final String HEX = "0123456789ABCDEF";

  /**
   * Takes a path apart.
   *
   * @param path as it is in the request line
   */
  static RequestPath parse(String path) {
    if (path.isEmpty() || path.charAt(0) != '/') {
      throw new InvalidRequestException("the path '" + path + "' must begin with a slash");
    }
    int slash = path.indexOf('/', 1);
    String dataset = slash < 0 ? path.substring(1) : path.substring(1, slash);
    if (dataset.isEmpty()) {
      throw new InvalidRequestException(
          "the path '" + path + "' names no dataset: must be /DATASET/KEY");
    }
    Bytes key = slash < 0 ? Bytes.EMPTY : decode(path, slash + 1);
    return new RequestPath(dataset.indexOf('%') < 0 ? dataset : decode(dataset, 0).toUtf8(), key);
  }

  /** The bytes that a text stands for. */
  static Bytes decode(String text, int from) {
    int length = text.length() - from;
    byte[] bytes = new byte[length];
    int at = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        return decodeUtf8(text, from);
      }
      if (c == '%') {
        bytes[at++] = escaped(text, i);
        i += 2;
      } else {
        bytes[at++] = (byte) c;
      }
    }
    return Bytes.wrap(at == length ? bytes : Arrays.copyOf(bytes, at));
  }

  /** With characters that should have been escaped, and were not. */
  private static Bytes decodeUtf8(String text, int from) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(2 * text.length());
    for (int i = from; i < text.length(); ) {
      int point = text.codePointAt(i);
      if (point == '%') {
        bytes.write(escaped(text, i));
        i += 3;
      } else if (point == KeyConnections.ZERO) {
        bytes.write(0);
        i++;
      } else if (point == BROKEN) {
        throw new InvalidRequestException(
            "bytes of the path that are no text in UTF-8: must be escaped, such as %FF");
      } else {
        bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(point);
      }
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private static byte escaped(String text, int at) {
    int high = at + 2 < text.length() ? Character.digit(text.charAt(at + 1), 16) : -1;
    int low = high < 0 ? -1 : Character.digit(text.charAt(at + 2), 16);
    if (low < 0) {
      throw new InvalidRequestException(
          "'%s' at character %d of the path: must be %% and two hexadecimal digits, such as %%2F"
              .formatted(text.substring(at, Math.min(at + 3, text.length())), at));
    }
    return (byte) (high << 4 | low);
  }

  /** A text that stands for these bytes and means nothing else in a path or a query. */
  static String encode(Bytes bytes) {
    byte[] array = bytes.sharedArray();
    StringBuilder text = new StringBuilder(array.length + 16);
    for (byte b : array) {
      if (isPlain(b)) {
        text.append((char) b);
      } else {
        text.append('%').append(HEX.charAt(b >> 4 & 15)).append(HEX.charAt(b & 15));
      }
    }
    return text.toString();
  }

  private static boolean isPlain(byte b) {
    return (b >= 'a' && b <= 'z')
        || (b >= 'A' && b <= 'Z')
        || (b >= '0' && b <= '9')
        || b == '-'
        || b == '_'
        || b == '~';
  }

  /** The value of a parameter; null if the query does not have it. */
  static @Nullable String parameter(@Nullable String query, String name) {
    if (query == null) {
      return null;
    }
    for (String part : query.split("&", -1)) {
      if (part.startsWith(name)
          && part.length() > name.length()
          && part.charAt(name.length()) == '=') {
        return decode(part, name.length() + 1).toUtf8();
      }
    }
    return null;
  }
}
