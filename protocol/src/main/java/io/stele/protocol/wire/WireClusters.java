package io.stele.protocol.wire;

import io.stele.base.table.Cluster;
import io.stele.base.table.StoredFiles.Emptied;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.base.table.StoredFiles.TrashedFile;
import io.stele.base.table.TabletLocation;
import io.stele.protocol.v1.BalanceResponse;
import io.stele.protocol.v1.ClusterGarbage;
import io.stele.protocol.v1.ClusterStatus;
import io.stele.protocol.v1.EmptiedTrash;
import io.stele.protocol.v1.FileInTrash;
import io.stele.protocol.v1.TabletMove;
import io.stele.protocol.v1.TabletPlace;
import io.stele.protocol.v1.TabletServerStatus;
import io.stele.protocol.v1.TrashList;
import java.util.List;
import java.util.Optional;

/** Where tablets are, and what is told about a cluster, on the wire. */
public final class WireClusters {
  private WireClusters() {}

  public static TabletPlace toWire(TabletLocation location) {
    TabletPlace.Builder wire =
        TabletPlace.newBuilder()
            .setFirst(WireCells.toWire(location.first()))
            .setAddress(location.address());
    location.last().ifPresent(last -> wire.setLast(WireCells.toWire(last)));
    return wire.build();
  }

  public static TabletLocation location(TabletPlace wire) {
    return new TabletLocation(
        WireCells.bytes(wire.getFirst()),
        wire.hasLast() ? Optional.of(WireCells.bytes(wire.getLast())) : Optional.empty(),
        wire.getAddress());
  }

  public static ClusterStatus toWire(Cluster.Status status) {
    ClusterStatus.Builder wire =
        ClusterStatus.newBuilder()
            .setMaster(status.master())
            .setToken(status.token())
            .setTablets(status.tablets())
            .addAllUnserved(status.unserved())
            .addAllDown(status.down());
    for (Cluster.ServerStatus server : status.servers()) {
      wire.addServers(
          TabletServerStatus.newBuilder()
              .setAddress(server.address())
              .setRun(server.run())
              .setDraining(server.draining())
              .setTablets(server.tablets())
              .setFileBytes(server.fileBytes())
              .setMemoryBytes(server.memoryBytes())
              .setReadsPerSecond(server.readsPerSecond())
              .setWritesPerSecond(server.writesPerSecond())
              .setProblem(server.problem()));
    }
    return wire.build();
  }

  public static Cluster.Status status(ClusterStatus wire) {
    return new Cluster.Status(
        wire.getMaster(),
        wire.getToken(),
        wire.getServersList().stream().map(WireClusters::server).toList(),
        wire.getTablets(),
        List.copyOf(wire.getUnservedList()),
        List.copyOf(wire.getDownList()));
  }

  private static Cluster.ServerStatus server(TabletServerStatus wire) {
    return new Cluster.ServerStatus(
        wire.getAddress(),
        wire.getRun(),
        wire.getDraining(),
        wire.getTablets(),
        wire.getFileBytes(),
        wire.getMemoryBytes(),
        wire.getReadsPerSecond(),
        wire.getWritesPerSecond(),
        wire.getProblem());
  }

  public static BalanceResponse toWire(List<Cluster.Move> moves) {
    return BalanceResponse.newBuilder()
        .addAllMoves(moves.stream().map(WireClusters::toWire).toList())
        .build();
  }

  public static List<Cluster.Move> moves(BalanceResponse wire) {
    return wire.getMovesList().stream().map(WireClusters::move).toList();
  }

  public static TabletMove toWire(Cluster.Move move) {
    TabletMove.Builder wire =
        TabletMove.newBuilder()
            .setTable(move.table())
            .setFirst(WireCells.toWire(move.first()))
            .setFrom(move.from())
            .setTo(move.to())
            .setReason(move.reason());
    move.last().ifPresent(last -> wire.setLast(WireCells.toWire(last)));
    return wire.build();
  }

  public static Cluster.Move move(TabletMove wire) {
    return new Cluster.Move(
        wire.getTable(),
        WireCells.bytes(wire.getFirst()),
        wire.hasLast() ? Optional.of(WireCells.bytes(wire.getLast())) : Optional.empty(),
        wire.getFrom(),
        wire.getTo(),
        wire.getReason());
  }

  public static ClusterGarbage toWire(Garbage garbage) {
    return ClusterGarbage.newBuilder()
        .addAllFiles(garbage.files())
        .setBytes(garbage.bytes())
        .setBlocked(garbage.blocked())
        .build();
  }

  public static Garbage garbage(ClusterGarbage wire) {
    return new Garbage(List.copyOf(wire.getFilesList()), wire.getBytes(), wire.getBlocked());
  }

  public static TrashList trash(List<TrashedFile> files) {
    TrashList.Builder wire = TrashList.newBuilder();
    for (TrashedFile file : files) {
      wire.addFiles(
          FileInTrash.newBuilder()
              .setPath(file.path())
              .setBytes(file.bytes())
              .setSinceMicros(file.sinceMicros()));
    }
    return wire.build();
  }

  public static List<TrashedFile> trashed(TrashList wire) {
    return wire.getFilesList().stream()
        .map(file -> new TrashedFile(file.getPath(), file.getBytes(), file.getSinceMicros()))
        .toList();
  }

  public static EmptiedTrash toWire(Emptied emptied) {
    return EmptiedTrash.newBuilder().setFiles(emptied.files()).setBytes(emptied.bytes()).build();
  }

  public static Emptied emptied(EmptiedTrash wire) {
    return new Emptied(wire.getFiles(), wire.getBytes());
  }
}
