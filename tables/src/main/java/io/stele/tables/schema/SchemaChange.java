package io.stele.tables.schema;

import io.stele.base.error.ConflictException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * What one schema changes of another, by what has to be done about it. All sets are of group names,
 * in order.
 *
 * @param added groups that did not exist
 * @param removed groups that exist no more
 * @param regrouped groups, new or old, that gain or lose families
 * @param purges groups with another purge policy: it counts in reads at once, and in files when
 *     they are rewritten
 * @param formats groups with another compression or block size: it counts for files to come
 * @param cached groups that are now to be served from memory, or no longer
 */
public record SchemaChange(
    SortedSet<String> added,
    SortedSet<String> removed,
    SortedSet<String> regrouped,
    SortedSet<String> purges,
    SortedSet<String> formats,
    SortedSet<String> cached) {

  public SchemaChange {
    added = Collections.unmodifiableSortedSet(new TreeSet<>(added));
    removed = Collections.unmodifiableSortedSet(new TreeSet<>(removed));
    regrouped = Collections.unmodifiableSortedSet(new TreeSet<>(regrouped));
    purges = Collections.unmodifiableSortedSet(new TreeSet<>(purges));
    formats = Collections.unmodifiableSortedSet(new TreeSet<>(formats));
    cached = Collections.unmodifiableSortedSet(new TreeSet<>(cached));
  }

  public static SchemaChange between(TableSchema before, TableSchema after) {
    return new SchemaChange(
        minus(names(after), names(before)),
        minus(names(before), names(after)),
        regrouped(before, after),
        different(before, after, GroupSchema::purge),
        different(before, after, group -> group.compression() + " " + group.blockSize()),
        different(before, after, GroupSchema::inMemory));
  }

  /**
   * Fails if a schema is not the one that somebody has made another from.
   *
   * @throws ConflictException if they differ
   */
  public static void checkExpected(
      String table, Optional<TableSchema> expected, TableSchema found) {
    if (expected.isPresent() && !expected.get().equals(found)) {
      throw new ConflictException(
          "the schema of table \""
              + table
              + "\" was changed since it was read: read it again, and change what it is now");
    }
  }

  public boolean isNone() {
    return added.isEmpty()
        && removed.isEmpty()
        && regrouped.isEmpty()
        && purges.isEmpty()
        && formats.isEmpty()
        && cached.isEmpty();
  }

  /** Do the chains have to be made anew ({@link ChainPlan})? */
  public boolean movesFamilies() {
    return !regrouped.isEmpty();
  }

  private static SortedSet<String> regrouped(TableSchema before, TableSchema after) {
    SortedSet<String> groups = new TreeSet<>();
    SortedSet<String> families = new TreeSet<>(families(before));
    families.addAll(families(after));
    for (String family : families) {
      addIfMoved(groups, before.groupOf(family), after.groupOf(family));
    }
    addIfMoved(groups, wildcard(before), wildcard(after));
    return groups;
  }

  private static void addIfMoved(
      SortedSet<String> groups, Optional<GroupSchema> from, Optional<GroupSchema> to) {
    if (!from.map(GroupSchema::name).equals(to.map(GroupSchema::name))) {
      from.ifPresent(group -> groups.add(group.name()));
      to.ifPresent(group -> groups.add(group.name()));
    }
  }

  private static Optional<GroupSchema> wildcard(TableSchema schema) {
    return schema.groups().stream().filter(GroupSchema::wildcard).findFirst();
  }

  private static SortedSet<String> families(TableSchema schema) {
    SortedSet<String> families = new TreeSet<>();
    schema.groups().forEach(group -> families.addAll(group.families()));
    return families;
  }

  private static SortedSet<String> names(TableSchema schema) {
    SortedSet<String> names = new TreeSet<>();
    schema.groups().forEach(group -> names.add(group.name()));
    return names;
  }

  private static SortedSet<String> minus(SortedSet<String> all, SortedSet<String> some) {
    SortedSet<String> rest = new TreeSet<>(all);
    rest.removeAll(some);
    return rest;
  }

  private static SortedSet<String> different(
      TableSchema before, TableSchema after, Function<GroupSchema, Object> setting) {
    SortedSet<String> groups = new TreeSet<>();
    for (GroupSchema group : after.groups()) {
      Optional<GroupSchema> old = before.group(group.name());
      if (old.isPresent() && !setting.apply(old.get()).equals(setting.apply(group))) {
        groups.add(group.name());
      }
    }
    return groups;
  }
}
