package io.stele.base.schema;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The locality groups of a table.
 *
 * <p>Invariant: each family maps to at most one group, so at most one group has the wildcard. A
 * table without a wildcard group takes no other families than those named.
 *
 * @param groups in the order of their names
 * @param replication of a replicated table; none of a tablet table
 */
public record TableSchema(List<GroupSchema> groups, Optional<Replication> replication) {
  public TableSchema {
    if (groups.isEmpty()) {
      throw new InvalidRequestException("a schema without groups: must have at least one");
    }
    groups = groups.stream().sorted(Comparator.comparing(GroupSchema::name)).toList();
    Map<String, GroupSchema> byFamily = new HashMap<>();
    GroupSchema previous = null;
    GroupSchema wildcard = null;
    for (GroupSchema group : groups) {
      if (previous != null && previous.name().equals(group.name())) {
        throw new InvalidRequestException("group \"" + group.name() + "\" is in the schema twice");
      }
      if (group.wildcard() && wildcard != null) {
        throw new InvalidRequestException(
            "groups \""
                + wildcard.name()
                + "\" and \""
                + group.name()
                + "\" both have the wildcard: at most one may");
      }
      for (String family : group.families()) {
        GroupSchema other = byFamily.put(family, group);
        if (other != null) {
          throw new InvalidRequestException(
              "family \""
                  + family
                  + "\" is in the groups \""
                  + other.name()
                  + "\" and \""
                  + group.name()
                  + "\": must be in one");
        }
      }
      wildcard = group.wildcard() ? group : wildcard;
      previous = group;
    }
  }

  /** The schema of a tablet table. */
  public TableSchema(List<GroupSchema> groups) {
    this(groups, Optional.empty());
  }

  public TableSchema withReplication(Replication value) {
    return new TableSchema(groups, Optional.of(value));
  }

  public static TableSchema of(GroupSchema... groups) {
    return new TableSchema(List.of(groups));
  }

  /** One group, named {@code default}, with these families; {@code *} for any. */
  public static TableSchema ofFamilies(Collection<String> families) {
    return of(GroupSchema.of("default", families));
  }

  public static TableSchema ofFamilies(String... families) {
    return ofFamilies(List.of(families));
  }

  public Optional<GroupSchema> group(String name) {
    return groups.stream().filter(group -> group.name().equals(name)).findFirst();
  }

  /** The group that a family belongs to; none if the table does not take it. */
  public Optional<GroupSchema> groupOf(String family) {
    GroupSchema wildcard = null;
    for (GroupSchema group : groups) {
      if (group.families().contains(family)) {
        return Optional.of(group);
      }
      wildcard = group.wildcard() ? group : wildcard;
    }
    return Optional.ofNullable(wildcard);
  }

  public Optional<GroupSchema> groupOf(Bytes family) {
    return groupOf(family.toUtf8());
  }
}
