package io.stele.replicas.metadata;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.JsonReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A JSON object whose members must be there, and of the right kind. */
public final class ConfigObject {
  private final Map<?, ?> members;

  private ConfigObject(Map<?, ?> members) {
    this.members = members;
  }

  /**
   * Reads a text.
   *
   * @param where it was found, for people
   * @param what it should be, for people
   * @throws CorruptDataException if it is not
   */
  public static <T> T read(
      String where, String text, String what, Function<ConfigObject, T> reading) {
    try {
      return reading.apply(of(JsonReader.read(text), what));
    } catch (InvalidRequestException | ClassCastException | ArithmeticException e) {
      throw new CorruptDataException(where, 0, what + " (" + e.getMessage() + ")", text);
    } catch (NumberFormatException e) {
      throw new CorruptDataException(where, 0, what + " with whole numbers", text);
    }
  }

  static ConfigObject of(@Nullable Object value, String what) {
    return new ConfigObject((Map<?, ?>) require(value, what));
  }

  private static Object require(@Nullable Object value, String what) {
    if (value == null) {
      throw new InvalidRequestException("without " + what);
    }
    return value;
  }

  public String text(String name) {
    return (String) require(members.get(name), name);
  }

  /** A member that need not be there. */
  public Optional<String> optionalText(String name) {
    return Optional.ofNullable((String) members.get(name));
  }

  public long number(String name) {
    return ((Number) require(members.get(name), name)).longValue();
  }

  boolean flag(String name) {
    return (Boolean) require(members.get(name), name);
  }

  List<?> list(String name) {
    return (List<?>) require(members.get(name), name);
  }

  List<String> texts(String name) {
    return list(name).stream().map(each -> (String) require(each, name)).toList();
  }
}
