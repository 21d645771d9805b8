package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Since when a table has each of its families: the revision of the schema that added it last. A
 * family that is removed and added again is another one, though its name is the same.
 *
 * <p>A tablet's configuration says as of which revision its files and logs are. Their cells of a
 * family that was added later are from before a removal, and do not count. So a server need not
 * have had a tablet between the removal and the addition, nor have heard of both.
 *
 * <p>Invariant: a server accepts no write to a family before META says that the tablet is as of a
 * revision that has it.
 *
 * @param revision of the schema
 * @param others since when it has the families that are not named here, those of a wildcard group
 *     among them
 * @param named exceptions, by family; families that the schema has no more are left out
 */
public record FamilyOrigins(long revision, long others, SortedMap<Bytes, Long> named) {
  /** The revision of the schema that a table is created with. */
  public static final long FIRST = 1;

  /** Those of a table whose families have been there from the beginning. */
  public static final FamilyOrigins CREATED =
      new FamilyOrigins(FIRST, FIRST, Collections.emptySortedMap());

  public FamilyOrigins {
    SortedMap<Bytes, Long> exceptions = new TreeMap<>(named);
    long usual = others;
    exceptions.values().removeIf(since -> since == usual);
    named = Collections.unmodifiableSortedMap(exceptions);
  }

  /** The revision that added a family, if the schema has it. */
  public long since(Bytes family) {
    return named.getOrDefault(family, others);
  }

  /** Do all families of the schema count in what is as of a revision? */
  public boolean allCountIn(long asOf) {
    return others <= asOf && named.values().stream().allMatch(since -> since <= asOf);
  }

  /** Does a family of the schema count in what is as of a revision? */
  public boolean countsIn(Bytes family, long asOf) {
    return since(family) <= asOf;
  }

  /** The same families in a schema of another revision. */
  public FamilyOrigins withRevision(long newRevision) {
    return new FamilyOrigins(newRevision, others, named);
  }

  /**
   * Those of the next schema.
   *
   * @param before the schema that these are of
   */
  public FamilyOrigins next(TableSchema before, TableSchema after, long newRevision) {
    boolean hadAll = hasWildcard(before);
    boolean hasAll = hasWildcard(after);
    Set<Bytes> had = families(before);
    Set<Bytes> has = families(after);
    if (hasAll) {
      has.addAll(had); // named no more, and still there
      if (hadAll) {
        has.addAll(named.keySet());
      }
    }
    SortedMap<Bytes, Long> since = new TreeMap<>();
    for (Bytes family : has) {
      since.put(family, hadAll || had.contains(family) ? since(family) : newRevision);
    }
    long sinceOthers = !hasAll ? FIRST : hadAll ? others : newRevision;
    return new FamilyOrigins(newRevision, sinceOthers, since);
  }

  private static boolean hasWildcard(TableSchema schema) {
    return schema.groups().stream().anyMatch(GroupSchema::wildcard);
  }

  private static Set<Bytes> families(TableSchema schema) {
    Set<Bytes> families = new HashSet<>();
    schema
        .groups()
        .forEach(group -> group.families().forEach(family -> families.add(Bytes.utf8(family))));
    return families;
  }
}
