package io.stele.client.cluster;

import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.base.table.Cluster;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.BalanceRequest;
import io.stele.protocol.v1.ClusterGrpc;
import io.stele.protocol.v1.ClusterStatusRequest;
import io.stele.protocol.v1.CollectFilesRequest;
import io.stele.protocol.v1.DrainRequest;
import io.stele.protocol.v1.EmptyTrashRequest;
import io.stele.protocol.v1.ListTrashRequest;
import io.stele.protocol.v1.MoveTabletRequest;
import io.stele.protocol.v1.RestoreFilesRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireClusters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * The master of a cluster, wherever it is. What only looks, or comes to the same if it is done
 * twice, is repeated when the connection breaks or the master changes.
 */
public final class RemoteCluster implements Cluster {
  private static final Duration LONG_WORK = Duration.ofHours(1);

  private final Caller caller;

  /** The cluster of the servers that the caller calls; does not close it. */
  public RemoteCluster(Caller caller) {
    this.caller = caller;
  }

  /** May take long. */
  private <Q, R> R ask(MethodDescriptor<Q, R> method, Q request, Repeat repeat) {
    try {
      return caller.callLong(method, request, repeat, LONG_WORK).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  @Override
  public Status status() {
    return WireClusters.status(
        ask(
            ClusterGrpc.getStatusMethod(),
            ClusterStatusRequest.getDefaultInstance(),
            Repeat.ONCE_IN_TURN));
  }

  @Override
  public List<Move> balance(boolean apply) {
    return WireClusters.moves(
        ask(
            ClusterGrpc.getBalanceMethod(),
            BalanceRequest.newBuilder().setApply(apply).build(),
            apply ? Repeat.IF_NOT_DONE : Repeat.ONCE_IN_TURN));
  }

  @Override
  public int drain(String address, boolean on) {
    return ask(
            ClusterGrpc.getDrainMethod(),
            DrainRequest.newBuilder().setAddress(address).setUndo(!on).build(),
            Repeat.ONCE_IN_TURN)
        .getLeft();
  }

  @Override
  public Move move(String table, Bytes row, String address) {
    return WireClusters.move(
        ask(
            ClusterGrpc.getMoveTabletMethod(),
            MoveTabletRequest.newBuilder()
                .setTable(table)
                .setRow(WireCells.toWire(row))
                .setAddress(address)
                .build(),
            Repeat.IF_NOT_DONE));
  }

  @Override
  public Garbage collectFiles(boolean apply) {
    return WireClusters.garbage(
        ask(
            ClusterGrpc.getCollectFilesMethod(),
            CollectFilesRequest.newBuilder().setApply(apply).build(),
            Repeat.ONCE_IN_TURN));
  }

  @Override
  public List<TrashedFile> trashedFiles() {
    return WireClusters.trashed(
        ask(
            ClusterGrpc.getListTrashMethod(),
            ListTrashRequest.getDefaultInstance(),
            Repeat.ONCE_IN_TURN));
  }

  @Override
  public List<String> restoreFiles(String path) {
    return List.copyOf(
        ask(
                ClusterGrpc.getRestoreFilesMethod(),
                RestoreFilesRequest.newBuilder().setPath(path).build(),
                Repeat.IF_NOT_DONE)
            .getPathsList());
  }

  @Override
  public Emptied emptyTrash(Duration age) {
    return WireClusters.emptied(
        ask(
            ClusterGrpc.getEmptyTrashMethod(),
            EmptyTrashRequest.newBuilder().setAgeMillis(age.toMillis()).build(),
            Repeat.IF_NOT_DONE));
  }
}
