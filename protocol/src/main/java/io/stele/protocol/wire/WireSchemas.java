package io.stele.protocol.wire;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.RowSample;
import io.stele.base.table.TabletInfo;
import io.stele.protocol.v1.MetaProblemFound;
import io.stele.protocol.v1.MetaProblems;
import io.stele.protocol.v1.SampleRowsResponse;
import io.stele.protocol.v1.TableGroup;
import io.stele.protocol.v1.TableGroups;
import io.stele.protocol.v1.TableReplication;
import io.stele.protocol.v1.Tablet;
import io.stele.protocol.v1.TabletFile;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Schemas, and what is told about tables, on the wire. */
public final class WireSchemas {
  private static final String WILDCARD = "*";

  private WireSchemas() {}

  public static TableGroups toWire(TableSchema schema) {
    TableGroups.Builder wire = TableGroups.newBuilder();
    for (GroupSchema group : schema.groups()) {
      TableGroup.Builder each =
          TableGroup.newBuilder()
              .setName(group.name())
              .setPurge(group.purge().toString())
              .setCompression(group.compression().toString())
              .setBlockSize(group.blockSize())
              .setInMemory(group.inMemory());
      if (group.wildcard()) {
        each.addFamilies(WILDCARD);
      } else {
        each.addAllFamilies(group.families());
      }
      wire.addGroups(each);
    }
    schema.replication().ifPresent(replication -> wire.setReplication(toWire(replication)));
    return wire.build();
  }

  private static TableReplication toWire(Replication replication) {
    return TableReplication.newBuilder()
        .setReplicas(replication.replicas())
        .setErasureGraceSeconds(replication.erasureGrace().toSeconds())
        .setErasureGraceNanos(replication.erasureGrace().toNanosPart())
        .setSplitBytes(replication.splitBytes())
        .build();
  }

  public static TableSchema schema(TableGroups wire) {
    return new TableSchema(
        wire.getGroupsList().stream().map(WireSchemas::group).toList(),
        wire.hasReplication() ? Optional.of(replication(wire.getReplication())) : Optional.empty());
  }

  private static Replication replication(TableReplication wire) {
    return new Replication(
        wire.getReplicas(),
        Duration.ofSeconds(wire.getErasureGraceSeconds(), wire.getErasureGraceNanos()),
        wire.getSplitBytes());
  }

  private static GroupSchema group(TableGroup wire) {
    GroupSchema group =
        GroupSchema.of(wire.getName(), wire.getFamiliesList()).withInMemory(wire.getInMemory());
    if (!wire.getPurge().isEmpty()) {
      group = group.withPurge(PurgePolicy.parse(wire.getPurge()));
    }
    if (!wire.getCompression().isEmpty()) {
      group = group.withCompression(Compression.parse(wire.getCompression()));
    }
    return wire.getBlockSize() == 0 ? group : group.withBlockSize(wire.getBlockSize());
  }

  public static Tablet toWire(TabletInfo tablet) {
    Tablet.Builder wire =
        Tablet.newBuilder()
            .setFirst(WireCells.toWire(tablet.first()))
            .setState(tablet.state())
            .setStateName(tablet.stateName())
            .setLocation(tablet.location())
            .setMemoryBytes(tablet.memoryBytes())
            .setFileBytes(tablet.fileBytes());
    tablet.last().ifPresent(last -> wire.setLast(WireCells.toWire(last)));
    for (TabletInfo.FileInfo file : tablet.files()) {
      wire.addFiles(
          TabletFile.newBuilder()
              .setGroup(file.group())
              .setPath(file.path())
              .setBytes(file.bytes())
              .addAllFamilies(file.families()));
    }
    return wire.build();
  }

  public static TabletInfo tablet(String table, Tablet wire) {
    return new TabletInfo(
        table,
        WireCells.bytes(wire.getFirst()),
        wire.hasLast() ? Optional.of(WireCells.bytes(wire.getLast())) : Optional.empty(),
        wire.getState(),
        wire.getStateName(),
        wire.getLocation(),
        wire.getMemoryBytes(),
        wire.getFileBytes(),
        wire.getFilesList().stream()
            .map(
                file ->
                    new TabletInfo.FileInfo(
                        file.getGroup(),
                        file.getPath(),
                        file.getBytes(),
                        List.copyOf(file.getFamiliesList())))
            .toList());
  }

  public static MetaProblems toWire(List<MetaProblem> problems) {
    MetaProblems.Builder wire = MetaProblems.newBuilder();
    for (MetaProblem problem : problems) {
      wire.addProblems(
          MetaProblemFound.newBuilder()
              .setKind(problem.kind().name())
              .setTable(problem.table())
              .setRow(WireCells.toWire(problem.row()))
              .setExplanation(problem.explanation())
              .setRepair(problem.repair())
              .setRepaired(problem.repaired()));
    }
    return wire.build();
  }

  public static List<MetaProblem> problems(MetaProblems wire) {
    return wire.getProblemsList().stream().map(WireSchemas::problem).toList();
  }

  private static MetaProblem problem(MetaProblemFound wire) {
    MetaProblem.Kind kind;
    try {
      kind = MetaProblem.Kind.valueOf(wire.getKind());
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "META problem of the kind " + wire.getKind() + ", which this client does not know", e);
    }
    return new MetaProblem(
        kind,
        wire.getTable(),
        WireCells.bytes(wire.getRow()),
        wire.getExplanation(),
        wire.getRepair(),
        wire.getRepaired());
  }

  public static SampleRowsResponse samplesToWire(List<RowSample> samples) {
    SampleRowsResponse.Builder wire = SampleRowsResponse.newBuilder();
    for (RowSample sample : samples) {
      wire.addSamples(
          SampleRowsResponse.Sample.newBuilder()
              .setRow(WireCells.toWire(sample.row()))
              .setOffset(sample.offset()));
    }
    return wire.build();
  }

  public static List<RowSample> samples(SampleRowsResponse wire) {
    return wire.getSamplesList().stream()
        .map(sample -> new RowSample(WireCells.bytes(sample.getRow()), sample.getOffset()))
        .toList();
  }
}
