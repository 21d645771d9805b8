package io.stele.tables.schema;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.engine.cache.CachePriority;
import io.stele.engine.cache.InMemoryGroups;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which group each family of a table belongs to. It is asked for every cell that is written, so it
 * works on slices and allocates nothing. Immutable.
 */
public final class FamilyMap {
  /** The answer for a family that the table does not take. */
  public static final int UNKNOWN = -1;

  private final List<GroupSchema> groups;
  private final int wildcard; // the group of families that are named nowhere, or UNKNOWN

  // An open hash table, at most a quarter full: a miss ends at the first empty slot.
  private final byte[][] names;
  private final int[] groupOf;

  public FamilyMap(TableSchema schema) {
    groups = schema.groups();
    int count = groups.stream().mapToInt(group -> group.families().size()).sum();
    int size = Integer.highestOneBit(Math.max(1, count)) * 8;
    names = new byte[size][];
    groupOf = new int[size];
    int anyOther = UNKNOWN;
    for (int index = 0; index < groups.size(); index++) {
      for (String family : groups.get(index).families()) {
        put(Bytes.utf8(family).toArray(), index);
      }
      anyOther = groups.get(index).wildcard() ? index : anyOther;
    }
    wildcard = anyOther;
  }

  /** The groups of the schema; the answers of {@link #groupOf} are their places in this list. */
  public List<GroupSchema> groups() {
    return groups;
  }

  /** The place of the group that a family belongs to, or {@link #UNKNOWN}. */
  public int groupOf(byte[] array, int offset, int length) {
    int mask = names.length - 1;
    for (int slot = hash(array, offset, length) & mask; ; slot = slot + 1 & mask) {
      byte[] name = names[slot];
      if (name == null) {
        return wildcard;
      }
      if (name.length == length && Arrays.equals(name, 0, length, array, offset, offset + length)) {
        return groupOf[slot];
      }
    }
  }

  public int groupOf(Bytes family) {
    return groupOf(family.sharedArray(), 0, family.length());
  }

  /**
   * Which of a fragment's families are to be served from memory, group by group. A wildcard group
   * has only those families of which one knows, so each fragment has an answer of its own.
   */
  public InMemoryGroups inMemory(Set<Bytes> families) {
    return new InMemoryGroups(
        groups.stream()
            .filter(GroupSchema::inMemory)
            .map(group -> ofGroup(families, groups.indexOf(group)))
            .toList());
  }

  /** How the blocks of a fragment with these families are to be kept. */
  public CachePriority priorityOf(Set<Bytes> families) {
    return inMemory(families).priorityOf(families);
  }

  /** Those of some families that belong to a group. */
  public Set<Bytes> ofGroup(Set<Bytes> families, int group) {
    Set<Bytes> own = new HashSet<>();
    for (Bytes family : families) {
      if (groupOf(family) == group) {
        own.add(family);
      }
    }
    return own;
  }

  private void put(byte[] name, int group) {
    int mask = names.length - 1;
    int slot = hash(name, 0, name.length) & mask;
    while (names[slot] != null) {
      slot = slot + 1 & mask;
    }
    names[slot] = name;
    groupOf[slot] = group;
  }

  private static int hash(byte[] array, int offset, int length) {
    int hash = length;
    for (int i = offset; i < offset + length; i++) {
      hash = hash * 31 + array[i];
    }
    return hash ^ hash >>> 16;
  }
}
