package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A disk fragment in the chain of a group.
 *
 * @param path of the file
 * @param families the only ones of it that count in this group; nothing if all do. None at all is
 *     possible: its row erasures still count
 */
public record FragmentRef(FilePath path, Optional<Set<Bytes>> families) {
  public FragmentRef {
    families = families.map(Set::copyOf);
  }

  /** A fragment of which everything counts. */
  public static FragmentRef whole(FilePath path) {
    return new FragmentRef(path, Optional.empty());
  }

  public static FragmentRef restricted(FilePath path, Collection<Bytes> families) {
    return new FragmentRef(path, Optional.of(Set.copyOf(families)));
  }

  @Override
  public String toString() {
    return families.map(only -> path + " " + new TreeSet<>(only)).orElse(path.toString());
  }
}
