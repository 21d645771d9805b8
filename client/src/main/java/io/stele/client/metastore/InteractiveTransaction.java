package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotFoundException;
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.AbortRequest;
import io.stele.protocol.v1.BeginRequest;
import io.stele.protocol.v1.CommitRequest;
import io.stele.protocol.v1.KeyRange;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.RangeResponse;
import io.stele.protocol.v1.ReadInRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that reads, thinks and writes: see {@link MetastoreClient#transact}. All reads see
 * the state of one moment, with the transaction's own writes over it; it commits only if nothing of
 * what it read has changed by then, ranges with their gaps included. A key that is written without
 * having been read never conflicts.
 *
 * <p>For one thread at a time.
 */
public final class InteractiveTransaction {
  private final Caller caller;
  private final Writes.Sender sender;
  private final long session;
  private final Overlay overlay = new Overlay();
  private final List<Condition> guards = new ArrayList<>();
  private @Nullable String id; // since the first read
  private long readRevision;
  private long revision;
  private boolean ended;

  /**
   * Nothing is asked of the server before the first read.
   *
   * @param session with which it ends at the latest; 0 for none
   */
  InteractiveTransaction(Caller caller, Writes.Sender sender, long session) {
    this.caller = caller;
    this.sender = sender;
    this.session = session;
  }

  /** A key; of one that this transaction put, only key and value are known yet. */
  public Optional<KeyValue> get(String key) {
    checkOpen();
    if (overlay.wrote(key)) {
      return overlay.written(key);
    }
    RangeResponse response = read(Wire.range(key), 0, false);
    return response.getKeysCount() == 0
        ? Optional.empty()
        : Optional.of(Wire.keyValue(response.getKeys(0)));
  }

  /** All keys of a range, in order. */
  public List<KeyValue> range(Keys keys) {
    return range(keys, 0);
  }

  /**
   * The first keys of a range, in order. What lies behind them is not read, and may change.
   *
   * @param limit 0 for all
   */
  public List<KeyValue> range(Keys keys, int limit) {
    checkOpen();
    List<KeyValue> found = new ArrayList<>();
    Keys rest = keys;
    while (true) {
      int wanted = limit == 0 ? 0 : limit - found.size();
      RangeResponse page = read(Wire.range(rest), wanted, false);
      List<KeyValue> stored = Wire.keyValues(page.getKeysList());
      boolean more = page.getMore() && !stored.isEmpty();
      Bytes last = more ? Bytes.utf8(stored.getLast().key()) : null;
      for (KeyValue key : overlay.over(stored, rest, last)) {
        if (limit != 0 && found.size() == limit) {
          return found;
        }
        found.add(key);
      }
      if (last == null || (limit != 0 && found.size() >= limit)) {
        return found;
      }
      rest = rest.after(last);
    }
  }

  public void put(String key, String value) {
    put(key, Bytes.utf8(value));
  }

  public void put(String key, Bytes value) {
    put(Step.put(key, value));
  }

  /** Puts a key that may belong to a session. */
  public void put(Step.Put put) {
    checkOpen();
    overlay.put(put);
  }

  public void delete(String key) {
    checkOpen();
    overlay.delete(key);
  }

  /** Deletes all keys of a range, which is read for that. */
  public int delete(Keys keys) {
    List<KeyValue> found = range(keys);
    found.forEach(key -> overlay.delete(key.key()));
    return found.size();
  }

  /** Commits only if the lock is still held, as it was granted. */
  public void guard(HeldLock lock) {
    guard(Condition.held(lock));
  }

  /** Commits only if this holds; otherwise it fails with {@link FencedException}. */
  public void guard(Condition condition) {
    checkOpen();
    guards.add(condition);
  }

  /** At which it reads; 0 before the first read. */
  public long readRevision() {
    return readRevision;
  }

  /** Of its changes, or of what it saw if it made none; 0 before it is committed. */
  public long revision() {
    return revision;
  }

  private void checkOpen() {
    if (ended) {
      throw new IllegalStateException("the transaction has ended");
    }
  }

  private RangeResponse read(KeyRange range, int limit, boolean keysOnly) {
    ReadInRequest request =
        ReadInRequest.newBuilder()
            .setTransaction(begin())
            .setRange(range)
            .setLimit(limit)
            .setKeysOnly(keysOnly)
            .build();
    try {
      return Await.answer(caller.call(MetastoreGrpc.getReadInMethod(), request, Repeat.READ));
    } catch (NotFoundException e) {
      // It ended with the leader's term, or took too long: nothing was done, try again.
      throw new ConflictException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
    }
  }

  private String begin() {
    String begun = id;
    if (begun == null) {
      var response =
          Await.answer(
              caller.call(
                  MetastoreGrpc.getBeginMethod(),
                  BeginRequest.newBuilder().setSession(session).build(),
                  Repeat.READ)); // one begun in vain ends by itself
      begun = response.getTransaction();
      id = begun;
      readRevision = response.getRevision();
    }
    return begun;
  }

  void commit() {
    checkOpen();
    ended = true;
    String begun = id;
    if (guards.isEmpty() && overlay.isEmpty()) {
      abort(); // what it saw was true at its revision: there is nothing to validate
      revision = readRevision;
      return;
    }
    TransactionResult result = begun == null ? commitBlind() : commit(begun);
    if (!result.succeeded()) {
      throw new FencedException(
          "transaction with guards " + guards + ": one of them does not hold");
    }
    revision = result.revision();
  }

  /** Nothing was read, so there is nothing that a transaction at the server would be for. */
  private TransactionResult commitBlind() {
    Transaction blind = new Transaction(asked -> Writes.transact(sender, asked));
    guards.forEach(blind::when);
    overlay.writes().forEach(blind::then);
    return blind.commit();
  }

  private TransactionResult commit(String begun) {
    CommitRequest.Builder request = CommitRequest.newBuilder().setTransaction(begun);
    guards.forEach(guard -> request.addGuards(Wire.comparison(guard)));
    overlay.writes().forEach(write -> request.addWrites(Wire.operation(write)));
    CommitRequest unnumbered = request.build();
    return Wire.transacted(
        Await.answer(
            sender.send(
                MetastoreGrpc.getCommitMethod(),
                origin -> unnumbered.toBuilder().setOrigin(origin).build())));
  }

  /** Frees at once what the server keeps for it. */
  void abort() {
    ended = true;
    String begun = id;
    if (begun != null) {
      var _ = // nobody waits: it would end by itself
          caller.call(
              MetastoreGrpc.getAbortMethod(),
              AbortRequest.newBuilder().setTransaction(begun).build(),
              Repeat.IF_NOT_DONE);
    }
  }
}
