package io.stele.cli;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** Values, which are bytes, as people and programs read and write them. */
public final class ValueText {

  private ValueText() {}

  /** The text, if the bytes are one. */
  public static Optional<String> text(Bytes value) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value.toArray())).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** A text as it is, what is none with {@code \\xHH} for each byte that stands for no letter. */
  public static String shown(Bytes value) {
    return text(value).orElseGet(() -> escaped(value));
  }

  /** On one line: what is no text, and what would break a line, is written as {@code \xHH}. */
  public static String onOneLine(Bytes value) {
    return text(value)
        .filter(text -> text.chars().noneMatch(Character::isISOControl))
        .orElseGet(() -> escaped(value));
  }

  private static String escaped(Bytes value) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      int c = value.at(i) & 0xFF;
      switch (c) {
        case '\n' -> line.append("\\n");
        case '\t' -> line.append("\\t");
        case '\r' -> line.append("\\r");
        case '\\' -> line.append("\\\\");
        default -> line.append(c >= ' ' && c < 0x7F ? (char) c : "\\x%02x".formatted(c));
      }
    }
    return line.toString();
  }

  /** Adds a value to a JSON object: as text where it is one, else as base 64 under another name. */
  public static void putJson(Map<String, Object> object, String name, Bytes value) {
    text(value)
        .ifPresentOrElse(
            text -> object.put(name, text),
            () -> object.put(name + "Base64", Base64.getEncoder().encodeToString(value.toArray())));
  }

  /** A value as the user gives it: itself, {@code @FILE}, or {@code -} for standard input. */
  public static Bytes read(String argument, InputStream standardInput) throws IOException {
    if (argument.equals("-")) {
      return Bytes.wrap(standardInput.readAllBytes());
    }
    if (!argument.startsWith("@")) {
      return Bytes.utf8(argument);
    }
    String file = argument.substring(1);
    try {
      return Bytes.wrap(Files.readAllBytes(Path.of(file)));
    } catch (NoSuchFileException e) {
      throw new InvalidRequestException(
          "there is no file '"
              + file
              + "' to take the value from; a value that starts with @ can be given by -",
          e);
    }
  }
}
