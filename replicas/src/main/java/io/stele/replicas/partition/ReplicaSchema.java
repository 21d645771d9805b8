package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.InMemoryGroups;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.merge.Resolution;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What the schema of a replicated table means for the store of a replica. */
final class ReplicaSchema {
  private final GroupSchema group;
  private final long graceMicros;
  private final Set<Bytes> families = new HashSet<>();
  private final List<Bytes> names;

  ReplicaSchema(TableSchema schema) {
    this.group = onlyGroup(schema);
    Replication replication =
        schema
            .replication()
            .orElseThrow(
                () -> new InvalidRequestException("a schema without replication: must have it"));
    this.graceMicros = TimeUnit.MICROSECONDS.convert(replication.erasureGrace());
    group.families().forEach(family -> families.add(Bytes.utf8(family)));
    this.names = List.copyOf(families);
  }

  static GroupSchema onlyGroup(TableSchema schema) {
    if (schema.groups().size() != 1) {
      throw new InvalidRequestException(
          "groups "
              + schema.groups().stream().map(GroupSchema::name).toList()
              + ": replicated tables keep all families in one group");
    }
    return schema.groups().getFirst();
  }

  StoreSettings settings(StoreSettings base) {
    return base.withResolution(resolution())
        .withLogged(true)
        .withPurge(group.purge())
        .withFragments(new FragmentSettings(codec(), group.blockSize()))
        .withInMemory(
            group.inMemory() && !group.wildcard()
                ? new InMemoryGroups(List.of(families))
                : InMemoryGroups.NONE);
  }

  Resolution resolution() {
    return new Resolution.ByTime(graceMicros);
  }

  long graceMicros() {
    return graceMicros;
  }

  private Codec codec() {
    return switch (group.compression()) {
      case NONE -> Codec.NONE;
      case LZ4 -> Codec.LZ4;
      case ZSTD -> Codec.ZSTD;
      case SNAPPY -> Codec.SNAPPY;
    };
  }

  boolean takesAll() {
    return group.wildcard();
  }

  Set<Bytes> families() {
    return families;
  }

  boolean takes(CellView cell) {
    if (takesAll() || cell.kind == CellKind.ERASE_ROW) {
      return true;
    }
    for (Bytes name : names) { // few, and no object for each cell
      if (name.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength) == 0) {
        return true;
      }
    }
    return false;
  }
}
