package io.stele.gateway.bigtable.name;

import java.util.List;

/**
 * An instance of a project. Stele has one namespace of tables, which every instance of every
 * project shows: whoever asks chooses these two at will.
 */
public record InstanceName(String project, String instance) {
  private static final NamePattern PATTERN =
      new NamePattern("projects/{project}/instances/{instance}");

  public static InstanceName parse(String name) {
    List<String> parts = PATTERN.parts(name);
    return new InstanceName(parts.get(0), parts.get(1));
  }

  public TableName table(String table) {
    return new TableName(this, table);
  }

  @Override
  public String toString() {
    return "projects/" + project + "/instances/" + instance;
  }
}
