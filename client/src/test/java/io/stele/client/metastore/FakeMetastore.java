package io.stele.client.metastore;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.protocol.v1.AbortRequest;
import io.stele.protocol.v1.AbortResponse;
import io.stele.protocol.v1.AcquireRequest;
import io.stele.protocol.v1.AcquireResponse;
import io.stele.protocol.v1.BeginRequest;
import io.stele.protocol.v1.BeginResponse;
import io.stele.protocol.v1.CloseSessionRequest;
import io.stele.protocol.v1.CloseSessionResponse;
import io.stele.protocol.v1.CommitRequest;
import io.stele.protocol.v1.Comparison;
import io.stele.protocol.v1.DeleteRequest;
import io.stele.protocol.v1.DeleteResponse;
import io.stele.protocol.v1.KeepAliveRequest;
import io.stele.protocol.v1.KeepAliveResponse;
import io.stele.protocol.v1.KeyRange;
import io.stele.protocol.v1.ListRequest;
import io.stele.protocol.v1.ListResponse;
import io.stele.protocol.v1.Member;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.OpenSessionRequest;
import io.stele.protocol.v1.OpenSessionResponse;
import io.stele.protocol.v1.Operation;
import io.stele.protocol.v1.OperationResult;
import io.stele.protocol.v1.Origin;
import io.stele.protocol.v1.PutRequest;
import io.stele.protocol.v1.PutResponse;
import io.stele.protocol.v1.RangeRequest;
import io.stele.protocol.v1.RangeResponse;
import io.stele.protocol.v1.ReadInRequest;
import io.stele.protocol.v1.ReleaseRequest;
import io.stele.protocol.v1.ReleaseResponse;
import io.stele.protocol.v1.StatusRequest;
import io.stele.protocol.v1.StatusResponse;
import io.stele.protocol.v1.TransactRequest;
import io.stele.protocol.v1.TransactResponse;
import io.stele.protocol.v1.WatchRequest;
import io.stele.protocol.v1.WatchResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * A metastore in memory, as simple as it can be: one state, one lock, answers kept for ever. It
 * notes what it was asked, so that tests can tell what a client sent.
 */
final class FakeMetastore extends MetastoreGrpc.MetastoreImplBase {
  static final int PAGE = 3;

  /** A watch that a client has set; the test says what it hears. */
  record SetWatch(WatchRequest request, ServerCallStreamObserver<WatchResponse> client) {
    void tell(WatchResponse message) {
      client.onNext(message);
    }
  }

  /** A wait for a lock that the test ends. */
  record Waiting(AcquireRequest request, ServerCallStreamObserver<AcquireResponse> client) {}

  private record Begun(long revision, List<KeyRange> reads) {}

  private record Stored(ByteString value, long modified, long version, long session) {}

  private final TreeMap<Bytes, Stored> keys = new TreeMap<>();
  private final Map<String, Long> changedAt = new HashMap<>();
  private long revision = 1;
  private long nextSession = 100;
  private final Map<ByteString, Long> opened = new HashMap<>();
  private final Set<Long> sessions = new HashSet<>();
  private final Map<String, Object> answers = new HashMap<>();
  private final Map<String, Begun> transactions = new HashMap<>();
  private final Map<String, Long> locks = new HashMap<>();
  private long nextTransaction = 1;
  private long nextToken = 7;

  final List<Origin> origins = new CopyOnWriteArrayList<>();
  final List<SetWatch> watches = new CopyOnWriteArrayList<>();
  final List<Waiting> waits = new CopyOnWriteArrayList<>();
  final List<String> aborted = new CopyOnWriteArrayList<>();

  /** Milliseconds that sessions live, whatever they ask for, if positive. */
  volatile long timeToLive;

  /** The address of the member that leads, if there is one. */
  volatile String leader = "";

  /** Whether requests for locks wait until the test answers them. */
  volatile boolean locksWait;

  // ---- for tests

  synchronized long applied() {
    return revision - 1;
  }

  synchronized void endSession(long session) {
    sessions.remove(session);
    answers.keySet().removeIf(name -> name.startsWith(session + "/"));
  }

  synchronized void endAllSessions() {
    List.copyOf(sessions).forEach(this::endSession);
  }

  synchronized Set<Long> sessions() {
    return Set.copyOf(sessions);
  }

  synchronized void endTransactions() {
    transactions.clear();
  }

  synchronized NavigableMap<String, String> content() {
    TreeMap<String, String> content = new TreeMap<>();
    keys.forEach((key, stored) -> content.put(key.toUtf8(), stored.value.toStringUtf8()));
    return content;
  }

  synchronized void set(String key, String value) {
    change(Bytes.utf8(key), ByteString.copyFromUtf8(value), 0, ++revision);
  }

  // ---- the state

  private void change(Bytes key, ByteString value, long session, long at) {
    Stored before = keys.get(key);
    keys.put(key, new Stored(value, at, before == null ? 1 : before.version + 1, session));
    changedAt.put(key.toUtf8(), at);
  }

  private <R> void answer(StreamObserver<R> client, Supplier<R> question) {
    R response;
    try {
      synchronized (this) {
        response = question.get();
      }
    } catch (SteleException e) {
      client.onError(ErrorMapping.toStatus(e));
      return;
    }
    client.onNext(response);
    client.onCompleted();
  }

  @SuppressWarnings("unchecked") // a number of a session is of one method
  private <R> R once(Origin origin, Supplier<R> change) {
    origins.add(origin);
    if (origin.getSession() == 0) {
      return change.get();
    }
    if (!sessions.contains(origin.getSession())) {
      throw new NotFoundException("session " + origin.getSession() + " has ended");
    }
    String name = origin.getSession() + "/" + origin.getSequence();
    R known = (R) answers.get(name);
    if (known != null) {
      return known;
    }
    R made = change.get();
    answers.put(name, made);
    return made;
  }

  private boolean contains(KeyRange range, Bytes key) {
    Bytes from = Wire.bytes(range.getFrom());
    if (!range.hasTo()) {
      return key.equals(from);
    }
    return key.compareTo(from) >= 0
        && (range.getTo().isEmpty() || key.compareTo(Wire.bytes(range.getTo())) < 0);
  }

  private RangeResponse read(KeyRange range, int limit) {
    RangeResponse.Builder response = RangeResponse.newBuilder().setRevision(revision);
    int most = limit == 0 ? PAGE : Math.min(limit, PAGE);
    for (var entry : keys.tailMap(Wire.bytes(range.getFrom())).entrySet()) {
      if (!contains(range, entry.getKey())) {
        break;
      }
      if (response.getKeysCount() == most) {
        response.setMore(true);
        break;
      }
      response.addKeys(keyValue(entry.getKey(), entry.getValue()));
    }
    return response.setCount(response.getKeysCount()).build();
  }

  private static io.stele.protocol.v1.KeyValue keyValue(Bytes key, Stored stored) {
    return io.stele.protocol.v1.KeyValue.newBuilder()
        .setKey(Wire.bytes(key))
        .setValue(stored.value)
        .setModified(stored.modified)
        .setVersion(stored.version)
        .setSession(stored.session)
        .build();
  }

  private int delete(KeyRange range, long at) {
    List<Bytes> gone = new ArrayList<>();
    keys.keySet().stream().filter(key -> contains(range, key)).forEach(gone::add);
    for (Bytes key : gone) {
      keys.remove(key);
      changedAt.put(key.toUtf8(), at);
    }
    return gone.size();
  }

  private boolean holds(Comparison comparison) {
    if (comparison.hasLockHeld()) {
      Long token = locks.get(comparison.getLockHeld().getKey().toStringUtf8());
      return token != null && token == comparison.getLockHeld().getToken();
    }
    Stored stored = keys.get(Wire.bytes(comparison.getRange().getFrom()));
    long version = stored == null ? 0 : stored.version;
    return switch (comparison.getRelation()) {
      case EQUAL -> version == comparison.getVersion();
      case GREATER -> version > comparison.getVersion();
      default -> false;
    };
  }

  private TransactResponse run(
      List<Comparison> comparisons, List<Operation> then, List<Operation> otherwise) {
    boolean held = comparisons.stream().allMatch(this::holds);
    List<Operation> steps = held ? then : otherwise;
    long at = revision + 1;
    TransactResponse.Builder response = TransactResponse.newBuilder().setSucceeded(held);
    boolean changed = false;
    for (Operation step : steps) {
      OperationResult.Builder result = OperationResult.newBuilder();
      if (step.hasPut()) {
        change(
            Wire.bytes(step.getPut().getKey()),
            step.getPut().getValue(),
            step.getPut().getSession(),
            at);
        result.getDoneBuilder();
        changed = true;
      } else if (step.hasDelete()) {
        int gone = delete(step.getDelete().getRange(), at);
        result.getDeletedBuilder().setCount(gone);
        changed |= gone > 0;
      } else {
        RangeResponse found = read(step.getGet().getRange(), step.getGet().getLimit());
        result.getFoundBuilder().addAllKeys(found.getKeysList()).setMore(found.getMore());
      }
      response.addResults(result);
    }
    revision = changed ? at : revision;
    return response.setRevision(revision).build();
  }

  // ---- the service

  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> client) {
    answer(
        client,
        () ->
            StatusResponse.newBuilder()
                .setLeader(Member.newBuilder().setServiceAddress(leader))
                .build());
  }

  @Override
  public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> client) {
    answer(
        client,
        () -> {
          long session = opened.computeIfAbsent(request.getRequestId(), id -> nextSession++);
          sessions.add(session);
          return OpenSessionResponse.newBuilder()
              .setSession(session)
              .setTtlMillis(timeToLive > 0 ? timeToLive : request.getTtlMillis())
              .build();
        });
  }

  @Override
  public void keepAlive(KeepAliveRequest request, StreamObserver<KeepAliveResponse> client) {
    answer(
        client,
        () -> {
          if (!sessions.contains(request.getSession())) {
            throw new NotFoundException("session " + request.getSession() + " has ended");
          }
          return KeepAliveResponse.newBuilder()
              .setTtlMillis(timeToLive > 0 ? timeToLive : 30_000)
              .build();
        });
  }

  @Override
  public void closeSession(
      CloseSessionRequest request, StreamObserver<CloseSessionResponse> client) {
    answer(
        client,
        () -> {
          endSession(request.getSession());
          return CloseSessionResponse.getDefaultInstance();
        });
  }

  @Override
  public void range(RangeRequest request, StreamObserver<RangeResponse> client) {
    answer(client, () -> read(request.getRange(), request.getLimit()));
  }

  @Override
  public void list(ListRequest request, StreamObserver<ListResponse> client) {
    answer(
        client,
        () -> {
          ListResponse.Builder response = ListResponse.newBuilder();
          String prefix = request.getDirectory() + "/";
          for (Bytes key : keys.keySet()) {
            String name = key.toUtf8();
            if (name.startsWith(prefix)
                && name.substring(prefix.length()).compareTo(request.getAfter()) > 0
                && response.getEntriesCount() < PAGE) {
              response.addEntries(
                  ListResponse.Entry.newBuilder()
                      .setName(name.substring(prefix.length()))
                      .setValue(true));
            }
          }
          return response.build();
        });
  }

  @Override
  public void put(PutRequest request, StreamObserver<PutResponse> client) {
    answer(
        client,
        () ->
            once(
                request.getOrigin(),
                () -> {
                  change(
                      Wire.bytes(request.getKey()),
                      request.getValue(),
                      request.getSession(),
                      ++revision);
                  return PutResponse.newBuilder().setRevision(revision).build();
                }));
  }

  @Override
  public void delete(DeleteRequest request, StreamObserver<DeleteResponse> client) {
    answer(
        client,
        () ->
            once(
                request.getOrigin(),
                () -> {
                  int gone = delete(request.getRange(), ++revision);
                  return DeleteResponse.newBuilder().setRevision(revision).setCount(gone).build();
                }));
  }

  @Override
  public void transact(TransactRequest request, StreamObserver<TransactResponse> client) {
    answer(
        client,
        () ->
            once(
                request.getOrigin(),
                () ->
                    run(
                        request.getComparisonsList(),
                        request.getThenList(),
                        request.getOtherwiseList())));
  }

  @Override
  public void begin(BeginRequest request, StreamObserver<BeginResponse> client) {
    answer(
        client,
        () -> {
          String id = "1:" + nextTransaction++;
          transactions.put(id, new Begun(revision, new ArrayList<>()));
          return BeginResponse.newBuilder().setTransaction(id).setRevision(revision).build();
        });
  }

  @Override
  public void readIn(ReadInRequest request, StreamObserver<RangeResponse> client) {
    answer(
        client,
        () -> {
          Begun begun = transactions.get(request.getTransaction());
          if (begun == null) {
            throw new NotFoundException("transaction " + request.getTransaction() + " has ended");
          }
          begun.reads.add(request.getRange());
          return read(request.getRange(), request.getLimit());
        });
  }

  @Override
  public void commit(CommitRequest request, StreamObserver<TransactResponse> client) {
    answer(
        client,
        () ->
            once(
                request.getOrigin(),
                () -> {
                  Begun begun = transactions.remove(request.getTransaction());
                  if (begun == null) {
                    throw new ConflictException("the transaction has ended");
                  }
                  changedAt.forEach(
                      (key, at) -> {
                        if (at > begun.revision
                            && begun.reads.stream()
                                .anyMatch(range -> contains(range, Bytes.utf8(key)))) {
                          throw new ConflictException(key + " has changed");
                        }
                      });
                  return run(request.getGuardsList(), request.getWritesList(), List.of());
                }));
  }

  @Override
  public void abort(AbortRequest request, StreamObserver<AbortResponse> client) {
    aborted.add(request.getTransaction());
    answer(client, AbortResponse::getDefaultInstance);
  }

  @Override
  public void acquire(AcquireRequest request, StreamObserver<AcquireResponse> client) {
    if (locksWait) {
      ServerCallStreamObserver<AcquireResponse> waiting =
          (ServerCallStreamObserver<AcquireResponse>) client;
      waiting.setOnCancelHandler(() -> {});
      waits.add(new Waiting(request, waiting));
      return;
    }
    answer(
        client,
        () ->
            once(
                request.getOrigin(),
                () -> {
                  String key = request.getKey().toStringUtf8();
                  if (locks.containsKey(key)) {
                    throw new ConflictException("lock " + key + " is held");
                  }
                  locks.put(key, nextToken++);
                  return AcquireResponse.newBuilder().setToken(locks.get(key)).build();
                }));
  }

  @Override
  public void release(ReleaseRequest request, StreamObserver<ReleaseResponse> client) {
    answer(
        client,
        () ->
            once(
                request.getOrigin(),
                () -> {
                  locks.remove(request.getKey().toStringUtf8());
                  return ReleaseResponse.getDefaultInstance();
                }));
  }

  @Override
  public void watch(WatchRequest request, StreamObserver<WatchResponse> client) {
    ServerCallStreamObserver<WatchResponse> stream =
        (ServerCallStreamObserver<WatchResponse>) client;
    stream.setOnCancelHandler(() -> {});
    watches.add(new SetWatch(request, stream));
  }
}
