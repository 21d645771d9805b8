package io.stele.datasets.serve;

import io.stele.datasets.version.Names;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What was last said about keeping a dataset at a version. Nodes remember it beside the metastore;
 * where memories differ, the greater number counts. Hence a pin that is taken away is not deleted:
 * it is followed by one without a version.
 *
 * <pre>
 *   12 20261116     the twelfth word on this dataset: it is kept at that version
 *   13              the thirteenth: it is let go
 * </pre>
 *
 * @param number how many were said before it, and it; 0 if none ever was
 * @param version nothing if the dataset follows the newest
 */
public record Pin(long number, Optional<String> version) {
  /** Nothing was ever said. */
  public static final Pin NONE = new Pin(0, Optional.empty());

  private static final Pattern TEXT = Pattern.compile("([1-9][0-9]{0,17})(?: (.+))?");

  /** The next word. */
  public Pin next(Optional<String> to) {
    return new Pin(number + 1, to);
  }

  public String text() {
    return number + version.map(to -> " " + to).orElse("");
  }

  /** Reads {@link #text}; nothing if it is none. */
  public static Optional<Pin> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Optional<String> version = Optional.ofNullable(matcher.group(2));
    return version.isPresent() && !Names.version(version.get())
        ? Optional.empty()
        : Optional.of(new Pin(Long.parseLong(matcher.group(1)), version));
  }

  /** The later of two. */
  public static Pin later(Pin one, Pin other) {
    return other.number > one.number ? other : one;
  }

  /** The later of two memories, dataset by dataset. */
  static Map<String, Pin> later(Map<String, Pin> one, Map<String, Pin> other) {
    Map<String, Pin> both = new HashMap<>(one);
    other.forEach((dataset, pin) -> both.merge(dataset, pin, Pin::later));
    return both;
  }
}
