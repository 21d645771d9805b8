package io.stele.gateway.bigtable.name;

import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;

/**
 * How the names of one kind of resource are written: words that are given, and in braces the parts
 * that tell one resource from another.
 *
 * <pre>{@code
 * projects/{project}/instances/{instance}/tables/{table}
 * }</pre>
 */
public final class NamePattern {
  private final String text;
  private final List<String> words;

  public NamePattern(String text) {
    this.text = text;
    this.words = List.of(text.split("/", -1));
  }

  /**
   * The parts of a name, in their order.
   *
   * @throws InvalidRequestException if it is not written so
   */
  public List<String> parts(String name) {
    List<String> found = List.of(name.split("/", -1));
    List<String> parts = new ArrayList<>();
    boolean fits = found.size() == words.size();
    for (int i = 0; fits && i < found.size(); i++) {
      if (words.get(i).startsWith("{")) {
        parts.add(found.get(i));
        fits = !found.get(i).isEmpty();
      } else {
        fits = words.get(i).equals(found.get(i));
      }
    }
    if (!fits) {
      throw new InvalidRequestException("name \"" + name + "\": must be written " + text);
    }
    return parts;
  }

  @Override
  public String toString() {
    return text;
  }
}
