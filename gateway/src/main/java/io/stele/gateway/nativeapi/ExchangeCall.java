package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.ExhaustedException;
import io.stele.gateway.memory.RequestMemory;
import io.stele.gateway.nativeapi.Backend.ServedTables;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.WireLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's stream of small operations.
 *
 * <pre>
 *   message ──► changes: one lane, in order ──────► Tables ──► durable ──► answers ──► message
 *           └─► reads, conditional changes: lanes ─► Tables ──────────────┘
 * </pre>
 *
 * <p>Operations may block, for throttling or for files, so they leave the network's thread; a
 * message's operations leave it together. What a client has under way is bounded: beyond a number
 * of bytes and of messages, nothing more is taken from its connection until something is answered.
 */
final class ExchangeCall implements StreamObserver<ExchangeRequest> {
  private static final long MOST_BYTES = 32L << 20;
  private static final int MOST_MESSAGES = 256;
  private static final int READ_LANES = 8;
  private static final int READS_AT_ONCE = 8;
  private static final int CHANGES_AT_ONCE = 64;

  private final @Nullable ServedTables served;
  private final RowOperations operations;
  private final ServerCallStreamObserver<ExchangeResponse> caller;
  private final Outbox<TableAnswer, ExchangeResponse> answers;
  private final Lane<Asked> changes;
  private final Lane<Asked> reads;
  private final Optional<RequestMemory.Stream> memory = RequestMemory.current();

  private long bytesUnderWay; // guarded by this
  private int messagesUnderWay; // guarded by this
  private boolean paused; // guarded by this; no message is asked for
  private boolean complete; // guarded by this; the client sends, or may send, no more
  private @Nullable ExhaustedException refusal; // guarded by this; why it may not

  /**
   * A stream that has just begun.
   *
   * @param served what it asks as long as it lasts, so that all its answers are of one incarnation
   */
  ExchangeCall(
      @Nullable ServedTables served,
      ServerCallStreamObserver<ExchangeResponse> caller,
      ExecutorService threads,
      Consumer<ExchangeCall> onEnd) {
    this.served = served;
    this.operations = new RowOperations(served);
    this.caller = caller;
    long incarnation = operations.incarnation();
    this.answers =
        new Outbox<>(
            caller,
            threads,
            built ->
                ExchangeResponse.newBuilder()
                    .setIncarnation(incarnation)
                    .addAllAnswers(built)
                    .build(),
            () -> onEnd.accept(this));
    caller.setOnCancelHandler(answers::abandon);
    this.changes = new Lane<>(threads, 1, CHANGES_AT_ONCE, this::run);
    this.reads = new Lane<>(threads, READ_LANES, READS_AT_ONCE, this::run);
    memory.ifPresent(stream -> stream.onRefusal(problem -> threads.execute(() -> end(problem))));
    caller.disableAutoRequest();
    caller.request(1);
  }

  @Nullable ServedTables served() {
    return served;
  }

  /** An operation, and the message that brought it. */
  private record Asked(TableOperation operation, Message message) {}

  /** A message some of whose operations are not answered yet. */
  private final class Message {
    private final long bytes;
    private final AtomicInteger left;

    Message(ExchangeRequest request) {
      this.bytes = request.getSerializedSize();
      this.left = new AtomicInteger(request.getOperationsCount());
    }

    void answered() {
      if (left.decrementAndGet() == 0) {
        finished(this);
      }
    }
  }

  @Override
  public void onNext(ExchangeRequest request) {
    Message message = new Message(request);
    boolean more;
    synchronized (this) {
      if (complete) {
        return; // came when the server was ending: it is not done, and not answered
      }
      bytesUnderWay += message.bytes;
      messagesUnderWay++;
      more = bytesUnderWay < MOST_BYTES && messagesUnderWay < MOST_MESSAGES;
      paused = !more;
    }
    List<Asked> toChange = new ArrayList<>();
    List<Asked> toRead = new ArrayList<>();
    for (TableOperation operation : request.getOperationsList()) {
      boolean change = operation.hasApply() || operation.hasApplyRows();
      (change ? toChange : toRead).add(new Asked(operation, message));
    }
    if (!toChange.isEmpty()) {
      changes.add(toChange);
    }
    if (!toRead.isEmpty()) {
      reads.add(toRead);
    }
    if (request.getOperationsCount() == 0) {
      finished(message);
    }
    if (more) {
      caller.request(1);
    }
  }

  private void finished(Message message) {
    memory.ifPresent(stream -> stream.release(message.bytes));
    boolean resume;
    boolean end;
    ExhaustedException problem;
    synchronized (this) {
      bytesUnderWay -= message.bytes;
      messagesUnderWay--;
      resume = paused && bytesUnderWay < MOST_BYTES && messagesUnderWay < MOST_MESSAGES;
      paused &= !resume;
      end = complete && messagesUnderWay == 0;
      problem = refusal;
    }
    if (resume) {
      caller.request(1);
    }
    if (end) {
      answers.end(problem);
    }
  }

  @Override
  public void onError(Throwable problem) {
    // The client is gone; what it asked for is finished all the same.
  }

  @Override
  public void onCompleted() {
    end();
  }

  /**
   * Takes no more operations, and ends the call when those that it took are answered. So a client
   * whose stream ends in order knows that what is not answered was not done.
   */
  void end() {
    end(null);
  }

  /** Likewise, because there is no memory for the message that is on its way. */
  private void end(@Nullable ExhaustedException problem) {
    boolean end;
    synchronized (this) {
      if (complete) {
        return;
      }
      complete = true;
      refusal = problem;
      paused = false; // and stays so
      end = messagesUnderWay == 0;
    }
    if (end) {
      answers.end(problem);
    }
  }

  /** Answers that were there at once, to be sent together. */
  private final class Ready {
    private final List<TableAnswer> built = new ArrayList<>();
    private final List<Message> messages = new ArrayList<>();
    private long bytes;

    void add(TableAnswer answer, Message message) {
      built.add(answer);
      messages.add(message);
      bytes += answer.getSerializedSize();
      if (bytes >= WireLimits.GATHERED_BYTES) {
        send();
      }
    }

    void send() {
      answers.addAll(built);
      messages.forEach(Message::answered);
      built.clear();
      messages.clear();
      bytes = 0;
    }
  }

  private void run(List<Asked> batch) {
    Ready ready = new Ready();
    for (Asked asked : batch) {
      run(asked, ready);
    }
    ready.send();
  }

  private void run(Asked asked, Ready ready) {
    if (!answers.awaitRoom()) {
      return; // nobody waits for the answer, and nothing was done
    }
    CompletableFuture<TableAnswer> answer = operations.answer(asked.operation);
    if (answer.isDone()) {
      ready.add(answer.join(), asked.message);
      return;
    }
    var _ =
        answer.thenAccept(
            built -> {
              answers.addSoon(built);
              asked.message.answered();
            });
  }
}
