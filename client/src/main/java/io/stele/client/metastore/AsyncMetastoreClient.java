package io.stele.client.metastore;

import com.google.protobuf.ByteString;
import io.grpc.MethodDescriptor;
import io.stele.base.bytes.Bytes;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.GetLockRequest;
import io.stele.protocol.v1.ListRequest;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.Origin;
import io.stele.protocol.v1.RangeRequest;
import io.stele.protocol.v1.RangeResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The metastore, without waiting: any number of requests may be under way over one connection.
 * Futures fail with a {@code SteleException}. What depends on them runs on the network's threads
 * and must not block.
 */
public final class AsyncMetastoreClient {
  private final Caller caller;
  private final RandomGenerator random;
  private final ClientSettings settings;
  private final LeaderSearch leader;
  private final @Nullable OwnSession own; // null if changes are not numbered

  AsyncMetastoreClient(Caller caller, RandomGenerator random, ClientSettings settings) {
    this.caller = caller;
    this.random = random;
    this.settings = settings;
    this.leader = new LeaderSearch(caller);
    this.own =
        settings.deduplicate() ? new OwnSession(caller, random, settings.ownTimeToLive()) : null;
  }

  // ---- reading

  public CompletableFuture<Optional<KeyValue>> get(String key) {
    return get(key, ReadOptions.DEFAULTS);
  }

  public CompletableFuture<Optional<KeyValue>> get(String key, ReadOptions options) {
    leader.seekNowAndThen();
    RangeRequest request =
        RangeRequest.newBuilder()
            .setRange(Wire.range(key))
            .setRevision(options.revision())
            .setConsistency(Wire.consistency(options.consistency()))
            .setKeysOnly(options.keysOnly())
            .build();
    return caller
        .call(MetastoreGrpc.getRangeMethod(), request, Repeat.READ)
        .thenApply(
            response ->
                response.getKeysCount() == 0
                    ? Optional.empty()
                    : Optional.of(Wire.keyValue(response.getKeys(0))));
  }

  /** The first keys of a range: as many as the options' limit or page, or the server, allow. */
  public CompletableFuture<KeyPage> page(Keys keys, ReadOptions options) {
    int most = options.pageSize();
    if (options.limit() > 0) {
      most = most == 0 ? options.limit() : Math.min(most, options.limit());
    }
    return range(keys, options, most, false)
        .thenApply(
            response ->
                new KeyPage(
                    response.getRevision(),
                    Wire.keyValues(response.getKeysList()),
                    response.getMore()));
  }

  public CompletableFuture<Long> count(Keys keys, ReadOptions options) {
    return range(keys, options, 0, true).thenApply(RangeResponse::getCount);
  }

  private CompletableFuture<RangeResponse> range(
      Keys keys, ReadOptions options, int limit, boolean countOnly) {
    leader.seekNowAndThen();
    RangeRequest request =
        RangeRequest.newBuilder()
            .setRange(Wire.range(keys))
            .setLimit(limit)
            .setKeysOnly(options.keysOnly())
            .setCountOnly(countOnly)
            .setRevision(options.revision())
            .setConsistency(Wire.consistency(options.consistency()))
            .build();
    return caller.call(MetastoreGrpc.getRangeMethod(), request, Repeat.READ);
  }

  /**
   * The names in a directory, in order.
   *
   * @param after the last name that is known; empty at first
   * @param limit the most names; 0 for the server's own number
   */
  public CompletableFuture<List<DirectoryEntry>> list(
      String directory, String after, int limit, Consistency consistency) {
    ListRequest request =
        ListRequest.newBuilder()
            .setDirectory(directory)
            .setAfter(after)
            .setLimit(limit)
            .setConsistency(Wire.consistency(consistency))
            .build();
    return caller
        .call(MetastoreGrpc.getListMethod(), request, Repeat.READ)
        .thenApply(
            response ->
                response.getEntriesList().stream()
                    .map(e -> new DirectoryEntry(e.getName(), e.getValue(), e.getDirectory()))
                    .toList());
  }

  // ---- writing

  public CompletableFuture<PutResult> put(String key, String value) {
    return put(key, Bytes.utf8(value));
  }

  public CompletableFuture<PutResult> put(String key, Bytes value) {
    return Writes.put(this::write, key, value, 0, false);
  }

  /** As {@link #put}, and answers what was there before. */
  public CompletableFuture<PutResult> replace(String key, Bytes value) {
    return Writes.put(this::write, key, value, 0, true);
  }

  public CompletableFuture<DeleteResult> delete(String key) {
    return delete(Keys.of(key), false);
  }

  /**
   * Deletes keys; that there are none is no error.
   *
   * @param previous whether to answer what was deleted
   */
  public CompletableFuture<DeleteResult> delete(Keys keys, boolean previous) {
    return Writes.delete(this::write, keys, previous);
  }

  /** Begins a transaction in one request. */
  public Transaction transaction() {
    return new Transaction(asked -> Writes.transact(this::write, asked));
  }

  // ---- sessions and locks

  public CompletableFuture<Session> openSession(Duration timeToLive) {
    return openSession(timeToLive, "");
  }

  /** Opens a session; the label says to people what it is for. */
  public CompletableFuture<Session> openSession(Duration timeToLive, String label) {
    return Session.open(caller, random, timeToLive, label);
  }

  public CompletableFuture<LockState> lockState(String key) {
    GetLockRequest request =
        GetLockRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
    return caller
        .call(MetastoreGrpc.getGetLockMethod(), request, Repeat.READ)
        .thenApply(
            response ->
                new LockState(
                    response.getExclusive(),
                    response.getHoldersList().stream()
                        .map(h -> new LockState.Holder(h.getSession(), h.getToken(), h.getCount()))
                        .toList(),
                    response.getWaitingList(),
                    response.getDelayed()));
  }

  // ---- watches

  public Watcher watch(Keys keys, WatchOptions options, WatchListener listener) {
    return Watcher.start(caller, keys, options, listener);
  }

  // ---- for the rest of the client

  Caller caller() {
    return caller;
  }

  ClientSettings settings() {
    return settings;
  }

  <Q, R> CompletableFuture<R> write(MethodDescriptor<Q, R> method, Function<Origin, Q> toRequest) {
    leader.seekNowAndThen();
    Duration timeout = settings.calls().timeout();
    if (own == null) {
      Q request = toRequest.apply(Origin.getDefaultInstance());
      return caller.call(method, request, Repeat.IF_NOT_DONE, timeout);
    }
    SequencedWrite<Q, R> write =
        new SequencedWrite<>(caller, method, toRequest, Repeat.ONCE, timeout, own);
    own.send(write);
    return write;
  }

  /** The id of the client's own session; 0 if it has none. */
  CompletableFuture<Long> ownSession() {
    return own == null ? CompletableFuture.completedFuture(0L) : own.get().thenApply(Session::id);
  }

  CompletableFuture<Void> closeOwnSession() {
    return own == null ? CompletableFuture.completedFuture(null) : own.close();
  }
}
