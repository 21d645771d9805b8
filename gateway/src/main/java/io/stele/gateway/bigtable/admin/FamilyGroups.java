package io.stele.gateway.bigtable.admin;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.text.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Column families as a schema has them. Each gets a locality group of its own, named after it, so
 * that each has its own purge policy. Groups that were made otherwise stay as they are, until a
 * family of theirs is given a rule of its own, and moves to a group of its own.
 */
final class FamilyGroups {
  /**
   * Stands for no family, since a schema has at least one: a table may be made before its families.
   */
  static final String NONE = "(none)";

  private static final int LONGEST = 64;
  private static final Pattern NAME = Pattern.compile("[_a-zA-Z0-9][-_.a-zA-Z0-9]*");

  private FamilyGroups() {}

  /** The families that a schema names, and what each of them keeps; not those of a wildcard. */
  static SortedMap<String, PurgePolicy> families(TableSchema schema) {
    SortedMap<String, PurgePolicy> families = new TreeMap<>();
    for (GroupSchema group : schema.groups()) {
      group.families().stream()
          .filter(family -> !family.equals(NONE))
          .forEach(family -> families.put(family, group.purge()));
    }
    return families;
  }

  /** The schema of a new table. */
  static TableSchema schema(SortedMap<String, PurgePolicy> families) {
    TableSchema schema = TableSchema.of(GroupSchema.of(NONE, NONE));
    for (var family : families.entrySet()) {
      schema = with(schema, family.getKey(), family.getValue());
    }
    return schema;
  }

  static TableSchema with(TableSchema schema, String family, PurgePolicy purge) {
    checkName(family);
    List<GroupSchema> groups = new ArrayList<>(schema.groups());
    groups.removeIf(group -> group.families().contains(NONE));
    groups.add(GroupSchema.of(freeName(groups, family), family).withPurge(purge));
    return new TableSchema(groups, schema.replication());
  }

  private static String freeName(List<GroupSchema> groups, String family) {
    String name = family;
    for (int i = 2; isTaken(groups, name); i++) {
      name = family + "-" + i;
    }
    return name;
  }

  private static boolean isTaken(List<GroupSchema> groups, String name) {
    return groups.stream().anyMatch(group -> group.name().equals(name));
  }

  static TableSchema changed(TableSchema schema, String family, PurgePolicy purge) {
    GroupSchema group = groupOf(schema, family);
    if (group.purge().equals(purge)) {
      return schema;
    }
    if (group.families().size() > 1) {
      return with(without(schema, family), family, purge);
    }
    List<GroupSchema> groups = new ArrayList<>(schema.groups());
    groups.remove(group);
    groups.add(group.withPurge(purge));
    return new TableSchema(groups, schema.replication());
  }

  static TableSchema without(TableSchema schema, String family) {
    GroupSchema group = groupOf(schema, family);
    List<GroupSchema> groups = new ArrayList<>(schema.groups());
    groups.remove(group);
    TreeSet<String> rest = new TreeSet<>(group.families());
    rest.remove(family);
    if (!rest.isEmpty()) {
      groups.add(group.withFamilies(rest));
    }
    if (groups.isEmpty()) {
      groups.add(GroupSchema.of(NONE, NONE));
    }
    return new TableSchema(groups, schema.replication());
  }

  private static GroupSchema groupOf(TableSchema schema, String family) {
    return schema.groups().stream()
        .filter(group -> group.families().contains(family) && !family.equals(NONE))
        .findFirst()
        .orElseThrow(
            () ->
                Refusal.notFound(
                    "column family \""
                        + family
                        + "\""
                        + NearestName.of(family, families(schema).keySet())
                            .map(near -> " (did you mean \"" + near + "\"?)")
                            .orElse("")));
  }

  static void checkName(String family) {
    if (family.length() > LONGEST || !NAME.matcher(family).matches()) {
      throw new InvalidRequestException(
          "column family \""
              + family
              + "\": must be "
              + NAME
              + " and at most "
              + LONGEST
              + " characters");
    }
  }
}
