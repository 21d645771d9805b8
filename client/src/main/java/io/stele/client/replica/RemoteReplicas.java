package io.stele.client.replica;

import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Replicas;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.AdoptTablesRequest;
import io.stele.protocol.v1.MetadataServerRequest;
import io.stele.protocol.v1.ReplicasGrpc;
import io.stele.protocol.v1.ReplicasRange;
import io.stele.protocol.v1.SplitTabletRequest;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WirePredicates;
import io.stele.protocol.wire.WireReplicas;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * Replicated tables, of which any server answers. What only looks, or comes to the same if it is
 * done twice, is repeated when the connection breaks.
 */
public final class RemoteReplicas implements Replicas {
  private static final Duration LONG_WORK = Duration.ofHours(1);

  private final Caller caller;

  /** Those of the servers that the caller calls; does not close it. */
  public RemoteReplicas(Caller caller) {
    this.caller = caller;
  }

  private <Q, R> R ask(MethodDescriptor<Q, R> method, Q request, Repeat repeat) {
    try {
      return caller.callLong(method, request, repeat, LONG_WORK).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  private static TableRequest request(String table) {
    return TableRequest.newBuilder().setTable(table).build();
  }

  private static ReplicasRange request(String table, RowRange rows) {
    return ReplicasRange.newBuilder().setTable(table).setRows(WirePredicates.toWire(rows)).build();
  }

  @Override
  public Status status(String table) {
    return WireReplicas.status(
        ask(ReplicasGrpc.getStatusMethod(), request(table), Repeat.ONCE_IN_TURN));
  }

  @Override
  public Metadata metadata(String table) {
    return WireReplicas.metadata(
        ask(ReplicasGrpc.getMetadataMethod(), request(table), Repeat.ONCE_IN_TURN));
  }

  private static MetadataServerRequest request(String table, String server) {
    return MetadataServerRequest.newBuilder().setTable(table).setServer(server).build();
  }

  @Override
  public void joinMetadata(String table, String server) {
    ask(ReplicasGrpc.getJoinMetadataServerMethod(), request(table, server), Repeat.ONCE_IN_TURN);
  }

  @Override
  public void removeMetadata(String table, String server) {
    ask(ReplicasGrpc.getRemoveMetadataServerMethod(), request(table, server), Repeat.IF_NOT_DONE);
  }

  @Override
  public List<String> removeServer(String table, String server) {
    return ask(ReplicasGrpc.getRemoveLostServerMethod(), request(table, server), Repeat.IF_NOT_DONE)
        .getLinesList();
  }

  @Override
  public List<String> adopt(boolean force) {
    return ask(
            ReplicasGrpc.getAdoptTablesMethod(),
            AdoptTablesRequest.newBuilder().setForce(force).build(),
            Repeat.ONCE_IN_TURN)
        .getLinesList();
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    return WireCells.bytes(
        ask(
                ReplicasGrpc.getSplitMethod(),
                SplitTabletRequest.newBuilder()
                    .setTable(table)
                    .setAt(WireCells.toWire(at))
                    .setRow(WireCells.toWire(row))
                    .build(),
                Repeat.IF_NOT_DONE)
            .getRow());
  }

  @Override
  public List<Difference> verify(String table, RowRange rows) {
    return WireReplicas.differences(
        ask(ReplicasGrpc.getVerifyMethod(), request(table, rows), Repeat.ONCE_IN_TURN));
  }

  @Override
  public long repair(String table, RowRange rows) {
    return ask(ReplicasGrpc.getRepairMethod(), request(table, rows), Repeat.ONCE_IN_TURN)
        .getCells();
  }
}
