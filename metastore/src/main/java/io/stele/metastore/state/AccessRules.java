package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.FieldCodec;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import io.stele.metastore.key.PathKey;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Who may read and write what, at one moment.
 *
 * <p>Rules of a directory count for the path itself and for all below it, down to the next
 * directory that has rules. There the principal's own entry decides, else that of {@code *}, and
 * with neither all is denied. Where no directory above has rules, everything is open.
 */
public final class AccessRules {
  /** What someone wants to do. */
  public enum Right {
    READ,
    WRITE
  }

  static final AccessRules NONE = new AccessRules(new TreeMap<>());

  private static final Bytes BEHIND_SLASH = Bytes.of((byte) ('/' + 1));

  private final NavigableMap<Bytes, List<AclEntry>> rules; // never changed

  private AccessRules(NavigableMap<Bytes, List<AclEntry>> rules) {
    this.rules = rules;
  }

  /** These rules with others for one directory; with none if there are no entries. */
  AccessRules with(Bytes directory, List<AclEntry> entries) {
    NavigableMap<Bytes, List<AclEntry>> next = new TreeMap<>(rules);
    if (entries.isEmpty()) {
      next.remove(directory);
    } else {
      next.put(directory, List.copyOf(entries));
    }
    return new AccessRules(next);
  }

  /** The rules of the nearest directory that has any; none if all is open. */
  public List<AclEntry> of(Bytes path) {
    return nearest(path).map(rules::get).orElse(List.of());
  }

  /** Why a principal may not do something to one path, if it may not. */
  public Optional<String> denial(String principal, Bytes path, Right right) {
    if (rules.isEmpty() || principal.equals(Origin.LEADER)) {
      return Optional.empty();
    }
    if (OpaqueKey.is(path)) {
      return denial(principal, PathKey.ROOT, right);
    }
    return nearest(path).flatMap(directory -> denialBy(directory, principal, right));
  }

  /** Why a principal may not do something to some key that a range may hold, if it may not. */
  public Optional<String> denial(String principal, KeyRange range, Right right) {
    if (rules.isEmpty() || range.isEmpty() || principal.equals(Origin.LEADER)) {
      return Optional.empty();
    }
    if (OpaqueKey.holds(range)) {
      return denial(principal, PathKey.ROOT, right); // they lie in no directory but the root
    }
    if (range.isSingle()) {
      return denial(principal, range.from(), right);
    }
    Bytes innermost = null; // the deepest ruled directory that has the whole range below it
    for (Bytes directory : rules.keySet()) {
      if (encloses(directory, range)
          && (innermost == null || directory.length() > innermost.length())) {
        innermost = directory;
      }
    }
    for (Map.Entry<Bytes, List<AclEntry>> rule : rules.entrySet()) {
      Bytes directory = rule.getKey();
      boolean shadowed = innermost != null && directory.length() < innermost.length();
      if (!shadowed && touches(directory, range)) {
        Optional<String> denial = denialBy(directory, principal, right);
        if (denial.isPresent()) {
          return denial;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Bytes> nearest(Bytes path) {
    if (rules.isEmpty()) {
      return Optional.empty();
    }
    Bytes at = path;
    while (true) {
      if (rules.containsKey(at)) {
        return Optional.of(at);
      }
      if (at.equals(PathKey.ROOT) || at.isEmpty()) {
        return Optional.empty();
      }
      at = PathKey.parent(at);
    }
  }

  private Optional<String> denialBy(Bytes directory, String principal, Right right) {
    AclEntry everybody = null;
    AclEntry own = null;
    for (AclEntry entry : rules.getOrDefault(directory, List.of())) {
      if (entry.principal().equals(principal)) {
        own = entry;
      } else if (entry.principal().equals("*")) {
        everybody = entry;
      }
    }
    AclEntry deciding = own != null ? own : everybody;
    boolean allowed =
        deciding != null && (right == Right.READ ? deciding.read() : deciding.write());
    return allowed
        ? Optional.empty()
        : Optional.of(
            (principal.isEmpty() ? "an unnamed principal" : "principal \"" + principal + "\"")
                + " may not "
                + (right == Right.READ ? "read" : "write")
                + " in directory "
                + directory);
  }

  private static KeyRange below(Bytes directory) {
    Bytes prefix = PathKey.prefixOf(directory);
    return directory.equals(PathKey.ROOT)
        ? new KeyRange(prefix, BEHIND_SLASH)
        : new KeyRange(prefix, directory.concat(BEHIND_SLASH));
  }

  private static boolean encloses(Bytes directory, KeyRange range) {
    KeyRange below = below(directory);
    Bytes to = range.to();
    Bytes end = below.to();
    return range.from().compareTo(below.from()) >= 0
        && to != null
        && end != null
        && to.compareTo(end) <= 0;
  }

  private static boolean touches(Bytes directory, KeyRange range) {
    return range.contains(directory) || below(directory).overlaps(range);
  }

  static Bytes encode(List<AclEntry> entries) {
    ByteBuilder out = new ByteBuilder(64);
    FieldCodec.putList(out, entries, FieldCodec::putAclEntry);
    return out.toBytes();
  }

  static List<AclEntry> decode(Bytes directory, Bytes stored) {
    try {
      return FieldCodec.readList(
          new ByteReader(stored.sharedArray(), 0, stored.length()),
          "entries",
          FieldCodec::readAclEntry);
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.rules(directory), e);
    }
  }
}
