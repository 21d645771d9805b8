package io.stele.gateway.nativeapi;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.protocol.v1.AdoptTablesRequest;
import io.stele.protocol.v1.DigestsRequest;
import io.stele.protocol.v1.FillReplicaAnswer;
import io.stele.protocol.v1.FillReplicaRequest;
import io.stele.protocol.v1.MetadataFile;
import io.stele.protocol.v1.MetadataFileName;
import io.stele.protocol.v1.PushRequest;
import io.stele.protocol.v1.RepairReplicaRequest;
import io.stele.protocol.v1.ReplicaName;
import io.stele.protocol.v1.ReplicaPeerGrpc;
import io.stele.protocol.v1.ReplicatedTable;
import io.stele.protocol.v1.SplitReplicaRequest;
import io.stele.protocol.v1.StoreMetadataRequest;
import io.stele.protocol.v1.StoredCellsRequest;
import io.stele.protocol.v1.UpkeepRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WirePredicates;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaPeer;
import io.stele.replicas.serve.Peers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The other servers of replicated tables, over the native protocol. */
public final class GrpcReplicaPeers implements Peers {
  private final Channels channels;
  private final Patience patience;
  private final Map<String, PushStream> pushes = new ConcurrentHashMap<>(); // by address

  /**
   * How long another server may take.
   *
   * @param answer to make something durable, and to tell what it has
   * @param change to have others keep a METADATA file and the coordination service name it
   * @param upkeep to write all that is in memory to files, and to merge them
   */
  public record Patience(Duration answer, Duration change, Duration upkeep) {
    public static final Patience DEFAULT =
        new Patience(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(30));

    public Patience withAnswer(Duration value) {
      return new Patience(value, change, upkeep);
    }
  }

  /**
   * The servers that can be reached.
   *
   * @param channels not closed with them
   */
  public GrpcReplicaPeers(Channels channels, Patience patience) {
    this.channels = channels;
    this.patience = patience;
  }

  @Override
  public MetadataPeer metadata(String address) {
    return new OfMetadata(new PeerCalls(channels, address), patience);
  }

  @Override
  public ReplicaPeer replicas(String address) {
    return new OfReplicas(
        new PeerCalls(channels, address), patience, push -> pushes(address).push(push));
  }

  /** The stream to a server; another one after it has ended. */
  private PushStream pushes(String address) {
    PushStream known = pushes.get(address);
    return known != null && !known.hasEnded()
        ? known
        : pushes.compute(
            address,
            (_, stream) ->
                stream != null && !stream.hasEnded()
                    ? stream
                    : PushStream.begin(new PeerCalls(channels, address), patience.answer()));
  }

  private record OfMetadata(PeerCalls calls, Patience patience) implements MetadataPeer {
    private static MetadataFileName name(String table, String txn) {
      return MetadataFileName.newBuilder().setTable(table).setTxn(txn).build();
    }

    private static ReplicatedTable named(String table) {
      return ReplicatedTable.newBuilder().setTable(table).build();
    }

    @Override
    public Optional<Bytes> fetch(String table, String txn) {
      MetadataFile answer =
          calls.call(
              ReplicaPeerGrpc.getFetchMetadataMethod(), name(table, txn), patience.answer(), false);
      return answer.hasFile() ? Optional.of(WireCells.bytes(answer.getFile())) : Optional.empty();
    }

    @Override
    public void store(String table, String txn, Bytes file) {
      calls.call(
          ReplicaPeerGrpc.getStoreMetadataMethod(),
          StoreMetadataRequest.newBuilder()
              .setTable(table)
              .setTxn(txn)
              .setFile(WireCells.toWire(file))
              .build(),
          patience.answer(),
          true);
    }

    @Override
    public void drop(String table, String txn) {
      calls.call(
          ReplicaPeerGrpc.getDropMetadataMethod(), name(table, txn), patience.answer(), true);
    }

    @Override
    public Metadata change(String table, MetadataChange change) {
      return MetadataWire.metadata(
          calls.call(
              ReplicaPeerGrpc.getChangeMetadataMethod(),
              MetadataWire.toWire(table, change),
              patience.change(),
              true));
    }

    @Override
    public void changed(String table) {
      calls.call(
          ReplicaPeerGrpc.getMetadataChangedMethod(), named(table), patience.answer(), false);
    }

    @Override
    public void join(String table) {
      calls.call(ReplicaPeerGrpc.getJoinMetadataMethod(), named(table), patience.change(), true);
    }

    @Override
    public List<String> adopt(boolean force) {
      return calls
          .call(
              ReplicaPeerGrpc.getAdoptTablesMethod(),
              AdoptTablesRequest.newBuilder().setForce(force).build(),
              patience.change(),
              true)
          .getLinesList();
    }
  }

  private record OfReplicas(
      PeerCalls calls,
      Patience patience,
      Function<PushRequest, CompletableFuture<Push.Answer>> stream)
      implements ReplicaPeer {
    /** Large ones by a call of their own, so that small ones, for which callers wait, pass them. */
    @Override
    public CompletableFuture<Push.Answer> push(Push push) {
      PushRequest request = ReplicaWire.toWire(push);
      if (!push.catchUp() && request.getSerializedSize() <= WireLimits.GATHERED_BYTES) {
        try {
          return stream.apply(request);
        } catch (SteleException e) {
          return CompletableFuture.failedFuture(e);
        }
      }
      return calls
          .begin(ReplicaPeerGrpc.getPushMethod(), request, patience.answer(), true)
          .thenApply(ReplicaWire::answer);
    }

    @Override
    public CompletableFuture<List<Push.Progress>> progress(String table, String partition) {
      return calls
          .begin(
              ReplicaPeerGrpc.getProgressMethod(),
              ReplicaName.newBuilder().setTable(table).setPartition(partition).build(),
              patience.answer(),
              false)
          .thenApply(ReplicaWire::progress);
    }

    @Override
    public CompletableFuture<Stored> stored(
        String table, String partition, ReadPredicate predicate, int maxBytes) {
      return calls
          .begin(
              ReplicaPeerGrpc.getStoredCellsMethod(),
              StoredCellsRequest.newBuilder()
                  .setTable(table)
                  .setPartition(partition)
                  .setRows(WirePredicates.toWire(predicate.rows().getFirst()))
                  .addAllColumns(WirePredicates.toWire(predicate).getColumnsList())
                  .setMaxBytes(maxBytes)
                  .build(),
              patience.answer(),
              false)
          .thenApply(ReplicaWire::stored);
    }

    /** Of many rows, which takes long. */
    @Override
    public CompletableFuture<List<Digest>> digests(
        String table, String partition, RowRange rows, List<Bytes> cuts) {
      return calls
          .begin(
              ReplicaPeerGrpc.getDigestsMethod(),
              DigestsRequest.newBuilder()
                  .setTable(table)
                  .setPartition(partition)
                  .setRows(WirePredicates.toWire(rows))
                  .addAllCuts(cuts.stream().map(WireCells::toWire).toList())
                  .build(),
              patience.upkeep(),
              false)
          .thenApply(ReplicaWire::digests);
    }

    @Override
    public CompletableFuture<Void> repair(String table, String partition, Bytes cells) {
      return calls
          .begin(
              ReplicaPeerGrpc.getRepairReplicaMethod(),
              RepairReplicaRequest.newBuilder()
                  .setTable(table)
                  .setPartition(partition)
                  .setCells(WireCells.toWire(cells))
                  .build(),
              patience.answer(),
              true)
          .thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<Boolean> fill(
        String table, String partition, Assignment to, String store) {
      return calls
          .begin(
              ReplicaPeerGrpc.getFillReplicaMethod(),
              FillReplicaRequest.newBuilder()
                  .setTable(table)
                  .setPartition(partition)
                  .setTo(MetadataWire.toWire(to))
                  .setStore(store)
                  .build(),
              patience.answer(),
              false)
          .thenApply(FillReplicaAnswer::getFilled);
    }

    @Override
    public CompletableFuture<Bytes> split(String table, String partition, Bytes row) {
      return calls
          .begin(
              ReplicaPeerGrpc.getSplitHereMethod(),
              SplitReplicaRequest.newBuilder()
                  .setTable(table)
                  .setPartition(partition)
                  .setRow(WireCells.toWire(row))
                  .build(),
              patience.change(),
              true)
          .thenApply(answer -> WireCells.bytes(answer.getRow()));
    }

    @Override
    public CompletableFuture<Void> upkeep(String table, boolean compact) {
      return calls
          .begin(
              ReplicaPeerGrpc.getUpkeepMethod(),
              UpkeepRequest.newBuilder().setTable(table).setCompact(compact).build(),
              patience.upkeep(),
              true)
          .thenAccept(done -> {});
    }
  }
}
