package io.stele.gateway.bigtable.name;

import io.stele.base.error.NotFoundException;
import io.stele.tables.meta.TableNames;
import java.util.List;

/**
 * A table of an instance. It is Stele's table of the same name, whatever the project and the
 * instance: a table made by one client is there for all others, Stele's own among them.
 *
 * @param table as Stele has it; one with a slash in its name cannot be written so
 */
public record TableName(InstanceName instance, String table) {
  private static final NamePattern PATTERN =
      new NamePattern("projects/{project}/instances/{instance}/tables/{table}");

  /**
   * Reads a name.
   *
   * @throws NotFoundException for META0 and META1, which are not for clients of Bigtable's
   */
  public static TableName parse(String name) {
    List<String> parts = PATTERN.parts(name);
    String table = parts.get(2);
    if (TableNames.isReserved(table)) {
      throw new NotFoundException("table \"" + table + "\" of \"" + name + "\" does not exist");
    }
    return new TableName(new InstanceName(parts.get(0), parts.get(1)), table);
  }

  @Override
  public String toString() {
    return instance + "/tables/" + table;
  }
}
