package io.stele.gateway.nativeapi;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.metastore.Consistency;
import io.stele.metastore.DirectoryEntry;
import io.stele.metastore.LeaseState;
import io.stele.metastore.LockState;
import io.stele.metastore.Metastore;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.TransactionStart;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.Standing;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchRequest;
import io.stele.metastore.watch.WatchSink;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Notes what it is asked, and answers it with something that shows it, or as a test says. */
final class FakeMetastore implements Metastore {
  final List<String> asked = new CopyOnWriteArrayList<>();

  /** What all calls fail with, if set. */
  volatile @Nullable SteleException problem;

  /** What requests for locks wait for. */
  final CompletableFuture<Long> grant = new CompletableFuture<>();

  final List<SetWatch> watches = new CopyOnWriteArrayList<>();
  volatile byte[] backup = new byte[0];

  /** A watch that was set. */
  static final class SetWatch implements Watch {
    final WatchRequest request;
    final WatchSink sink;
    final AtomicInteger resumed = new AtomicInteger();
    final AtomicInteger progressAsked = new AtomicInteger();
    volatile boolean closed;

    SetWatch(WatchRequest request, WatchSink sink) {
      this.request = request;
      this.sink = sink;
    }

    @Override
    public void resume() {
      resumed.incrementAndGet();
    }

    @Override
    public void requestProgress() {
      progressAsked.incrementAndGet();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private <T> CompletableFuture<T> answer(String question, T answer) {
    asked.add(question);
    SteleException set = problem;
    return set == null
        ? CompletableFuture.completedFuture(answer)
        : CompletableFuture.failedFuture(set);
  }

  private CompletableFuture<Void> done(String question) {
    return answer(question, true).thenAccept(done -> {});
  }

  static KeyValue keyValue(String key, String value) {
    return new KeyValue(Bytes.utf8(key), Bytes.utf8(value), 2, 3, 4, 5);
  }

  private static String text(Origin origin) {
    return origin.principal()
        + "@"
        + origin.session()
        + "/"
        + origin.sequence()
        + "<"
        + origin.answeredBelow();
  }

  @Override
  public CompletableFuture<Answer.SessionOpened> openSession(
      String principal, Duration timeToLive, String label, Bytes requestId) {
    return answer(
        "open " + principal + " " + timeToLive.toMillis() + " " + label + " " + requestId,
        new Answer.SessionOpened(42, timeToLive));
  }

  @Override
  public CompletableFuture<Duration> keepAlive(String principal, long session) {
    return answer("keep " + principal + " " + session, Duration.ofSeconds(7));
  }

  @Override
  public CompletableFuture<Void> closeSession(String principal, long session) {
    return done("close " + principal + " " + session);
  }

  @Override
  public CompletableFuture<RangeAnswer> read(
      String principal, RangeRead read, Consistency consistency) {
    return answer(
        "read " + principal + " " + read + " " + consistency,
        new RangeAnswer(9, List.of(keyValue("/k", "v")), true, 1));
  }

  @Override
  public CompletableFuture<List<DirectoryEntry>> list(
      String principal, Bytes directory, String after, int limit, Consistency consistency) {
    return answer(
        "list " + principal + " " + directory + " " + after + " " + limit + " " + consistency,
        List.of(new DirectoryEntry("name", true, false)));
  }

  @Override
  public CompletableFuture<Answer.Transacted> transact(Origin origin, Transaction transaction) {
    return answer("transact " + text(origin) + " " + transaction, results(transaction.then()));
  }

  private static Answer.Transacted results(List<Operation> operations) {
    List<OperationResult> results = new ArrayList<>();
    for (Operation operation : operations) {
      results.add(
          switch (operation) {
            case Operation.Put put ->
                new OperationResult.Done(
                    put.previous() ? Optional.of(keyValue("/k", "old")) : Optional.empty());
            case Operation.Delete delete ->
                new OperationResult.Deleted(2, List.of(keyValue("/k", "old")));
            case Operation.Get get -> new OperationResult.Found(List.of(keyValue("/k", "v")), true);
            case Operation.Assign _, Operation.Select _, Operation.Branch _ ->
                throw new AssertionError("the native protocol has no " + operation);
          });
    }
    return new Answer.Transacted(true, 11, results);
  }

  @Override
  public CompletableFuture<TransactionStart> begin(String principal, long session) {
    return answer("begin " + principal + " " + session, new TransactionStart("3:1", 8));
  }

  @Override
  public CompletableFuture<RangeAnswer> readIn(
      String principal, String transaction, RangeRead read) {
    return answer(
        "readIn " + principal + " " + transaction + " " + read,
        new RangeAnswer(9, List.of(), false, 0));
  }

  @Override
  public CompletableFuture<Answer.Transacted> commit(
      Origin origin, String transaction, List<Comparison> guards, List<Operation> writes) {
    return answer(
        "commit " + text(origin) + " " + transaction + " " + guards + " " + writes,
        results(writes));
  }

  @Override
  public CompletableFuture<Void> abort(String principal, String transaction) {
    return done("abort " + principal + " " + transaction);
  }

  @Override
  public CompletableFuture<Long> acquire(
      Origin origin, Bytes key, boolean exclusive, Duration patience, Duration delay) {
    asked.add(
        "acquire "
            + text(origin)
            + " "
            + key
            + " "
            + exclusive
            + " "
            + patience.toMillis()
            + " "
            + delay.toMillis());
    SteleException set = problem;
    return set == null ? grant : CompletableFuture.failedFuture(set);
  }

  @Override
  public CompletableFuture<Void> release(Origin origin, Bytes key) {
    return done("release " + text(origin) + " " + key);
  }

  @Override
  public CompletableFuture<LockState> lockState(String principal, Bytes key) {
    return answer(
        "lock " + principal + " " + key,
        new LockState(true, List.of(new LockState.Holder(1, 2, 3)), List.of(4L), true));
  }

  @Override
  public Watch watch(String principal, WatchRequest request, WatchSink sink) {
    SteleException set = problem;
    if (set != null) {
      throw set;
    }
    asked.add("watch " + principal + " " + request);
    SetWatch watch = new SetWatch(request, sink);
    sink.started(request.from() == 0 ? 21 : request.from());
    watches.add(watch);
    return watch;
  }

  @Override
  public CompletableFuture<Void> compact(Origin origin, long revision) {
    return done("compact " + text(origin) + " " + revision);
  }

  @Override
  public CompletableFuture<Void> setAcl(Origin origin, Bytes directory, List<AclEntry> entries) {
    return done("setAcl " + text(origin) + " " + directory + " " + entries);
  }

  @Override
  public CompletableFuture<List<AclEntry>> acl(String principal, Bytes path) {
    return answer("acl " + principal + " " + path, List.of(new AclEntry("*", true, false)));
  }

  @Override
  public MetastoreStatus status() {
    Member self = new Member("a", "h:1", "h:2");
    return new MetastoreStatus(
        "group",
        new Standing(self, Standing.Role.LEADER, true, 3, Optional.of(self), List.of(self), 77, 77),
        12,
        5,
        1,
        2,
        3,
        4,
        1_000,
        1_200,
        1_200,
        300,
        0,
        false);
  }

  @Override
  public CompletableFuture<RangeAnswer> select(
      String principal, Selection selection, Consistency consistency) {
    return answer(
        "select " + principal + " " + selection + " " + consistency,
        new RangeAnswer(12, List.of(), false, 0));
  }

  @Override
  public CompletableFuture<Answer.LeaseGranted> grantLease(long id, Duration timeToLive) {
    return answer("grant " + id + " " + timeToLive, new Answer.LeaseGranted(id, timeToLive));
  }

  @Override
  public CompletableFuture<Void> revokeLease(String principal, long id) {
    return done("revoke " + principal + " " + id);
  }

  @Override
  public CompletableFuture<Duration> renewLease(long id) {
    return answer("renew " + id, Duration.ofSeconds(9));
  }

  @Override
  public CompletableFuture<LeaseState> leaseState(String principal, long id) {
    return answer(
        "lease " + principal + " " + id,
        new LeaseState(Duration.ofSeconds(5), Duration.ofSeconds(9), List.of()));
  }

  @Override
  public CompletableFuture<List<Long>> leases() {
    return answer("leases", List.of(7L));
  }

  @Override
  public long revision() {
    return 12;
  }

  @Override
  public void backup(OutputStream out) throws IOException {
    out.write(backup);
  }
}
