package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.NearestName;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A part of Stele that a server can run. */
public enum Role {
  /** Holds a part of the metastore. */
  METASTORE,
  /** Serves tablets. */
  TABLES,
  /** Stands ready to lead the tablet servers of a cluster. */
  MASTER,
  /** Serves replicated tables. */
  REPLICAS,
  /** Serves datasets. */
  DATASETS;

  /** The names of all there are. */
  static List<String> all() {
    return Arrays.stream(values()).map(Role::toString).toList();
  }

  /** As the user writes it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The roles of these names; at least one, each once. */
  static Set<Role> named(List<String> names) {
    EnumSet<Role> roles = EnumSet.noneOf(Role.class);
    for (String name : names) {
      if (!roles.add(named(name))) {
        throw new InvalidRequestException("role " + name + " is there twice; once is enough");
      }
    }
    if (roles.isEmpty()) {
      throw new InvalidRequestException("no role: must be one or more of " + known());
    }
    return roles;
  }

  private static Role named(String name) {
    return Arrays.stream(values())
        .filter(role -> role.toString().equals(name))
        .findFirst()
        .orElseThrow(() -> new InvalidRequestException(unknown(name)));
  }

  private static String unknown(String name) {
    List<String> known = Arrays.stream(values()).map(Role::toString).toList();
    return "unknown role '%s'; known: %s%s"
        .formatted(
            name,
            known(),
            NearestName.of(name, known).map(". Did you mean '%s'?"::formatted).orElse(""));
  }

  private static String known() {
    return Arrays.stream(values()).map(Role::toString).collect(Collectors.joining(", "));
  }
}
