package io.stele.cli.table;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.settings.ByteSize;
import io.stele.base.settings.DurationText;
import io.stele.base.text.NearestName;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parts of a schema as arguments: {@code GROUP=FAMILY,FAMILY} and {@code GROUP.KEY=VALUE}. */
final class SchemaArguments {
  private static final List<String> KEYS =
      List.of("purge", "compression", "block-size", "in-memory");

  // A whole number alone is microseconds, as in the schema itself.
  private static final Pattern AGE = Pattern.compile("(max-age\\s*=\\s*)(\\d+[a-z]+)");
  private static final Pattern MICROS = Pattern.compile("max-age=(\\d+)");

  /** A group and its families, as named by an argument. */
  record Families(String group, List<String> names) {}

  private SchemaArguments() {}

  /** Reads {@code NAME,NAME}. */
  static List<String> names(String option, String text) {
    List<String> names = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    if (names.contains("")) {
      throw new InvalidRequestException(
          "%s '%s': must be names with commas between".formatted(option, text));
    }
    return names;
  }

  /** Reads {@code GROUP=FAMILY,FAMILY}. */
  static Families families(String option, String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new InvalidRequestException(
          "%s '%s': must be GROUP=FAMILY,FAMILY, such as profile=name,address"
              .formatted(option, text));
    }
    return new Families(text.substring(0, equals), names(option, text.substring(equals + 1)));
  }

  /** Applies {@code GROUP.KEY=VALUE} to the group of that name. */
  static void set(Map<String, GroupSchema> groups, String text) {
    int equals = text.indexOf('=');
    int dot = equals < 0 ? -1 : text.lastIndexOf('.', equals);
    if (dot < 1) {
      throw new InvalidRequestException(
          "--with '%s': must be GROUP.KEY=VALUE, such as default.compression=zstd".formatted(text));
    }
    String name = text.substring(0, dot);
    String key = text.substring(dot + 1, equals);
    String value = text.substring(equals + 1);
    GroupSchema group = groups.get(name);
    if (group == null) {
      throw new InvalidRequestException(
          "--with '%s': there is no group '%s'; there are: %s"
              .formatted(text, name, String.join(", ", groups.keySet())));
    }
    groups.put(name, set(group, text, key, value));
  }

  private static GroupSchema set(GroupSchema group, String text, String key, String value) {
    try {
      return switch (key) {
        case "purge" -> group.withPurge(purge(value));
        case "compression" -> group.withCompression(Compression.parse(value));
        case "block-size" -> group.withBlockSize(ByteSize.parse(value).toInt());
        case "in-memory" -> group.withInMemory(flag(value));
        default ->
            throw new InvalidRequestException(
                "'%s' is none of %s%s"
                    .formatted(
                        key,
                        String.join(", ", KEYS),
                        NearestName.of(key, KEYS)
                            .map("; did you mean '%s'?"::formatted)
                            .orElse("")));
      };
    } catch (InvalidRequestException | IllegalArgumentException e) {
      throw new InvalidRequestException("--with '" + text + "': " + e.getMessage(), e);
    }
  }

  private static boolean flag(String value) {
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new InvalidRequestException("'" + value + "' is neither true nor false");
    };
  }

  /** Reads the schema's text form, in which an age may also be a time such as 7d. */
  private static PurgePolicy purge(String value) {
    return PurgePolicy.parse(
        AGE.matcher(value)
            .replaceAll(
                found -> found.group(1) + DurationText.parse(found.group(2)).toNanos() / 1_000));
  }

  /** The text form, with ages as {@link #set} takes them. */
  static String show(PurgePolicy policy) {
    return MICROS
        .matcher(policy.toString())
        .replaceAll(found -> Matcher.quoteReplacement("max-age=" + age(found.group(1))));
  }

  private static String age(String micros) {
    long value = Long.parseLong(micros);
    return value > Long.MAX_VALUE / 1_000
        ? micros
        : DurationText.format(Duration.ofNanos(value * 1_000));
  }
}
