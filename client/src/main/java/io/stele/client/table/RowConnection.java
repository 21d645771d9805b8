package io.stele.client.table;

import io.stele.client.table.RowTurn.Outcome;
import io.stele.protocol.v1.ExchangeRequest;
import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection for operations on rows. One thread at a time has it: it sends a request for itself
 * and for others, receives until its own operation is answered, and leaves the rest to one of those
 * that are not. The sweeper looks at it meanwhile, and may end the wait by closing it.
 */
final class RowConnection implements AutoCloseable {
  /** One that was used this recently is not asked whether the server has ended it. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final InetSocketAddress address;
  private final RowFrames frames;
  private long idleSince; // of the thread that has it

  /** By the id in the request, from 0; null once answered. */
  private @Nullable RowTurn[] sent = {}; // guarded by this

  private int unanswered; // guarded by this; turns that are left in sent
  private @Nullable RowTurn receiver; // guarded by this; whose thread has the connection
  private long quietSince; // guarded by this; by the client's clock
  private @Nullable Outcome ended; // guarded by this; why the sweeper closed it

  RowConnection(InetSocketAddress address, RowFrames frames) {
    this.address = address;
    this.frames = frames;
  }

  boolean isTo(InetSocketAddress wanted) {
    return address.equals(wanted);
  }

  void idleSince(long now) {
    idleSince = now;
  }

  boolean isIdleFor(long now, long nanos) {
    return now - idleSince >= nanos;
  }

  /** Whether the server has ended it while it was idle. */
  boolean isStale(long now) {
    return isIdleFor(now, FRESH_NANOS) && frames.isStale();
  }

  /** Sends operations in one request. */
  void send(List<RowTurn> turns, long now) throws IOException {
    ExchangeRequest.Builder request = ExchangeRequest.newBuilder();
    for (int id = 0; id < turns.size(); id++) {
      request.addOperations(turns.get(id).operation().message(id));
    }
    synchronized (this) {
      quietSince = now;
      sent = turns.toArray(RowTurn[]::new);
      unanswered = sent.length;
      receiver = turns.getFirst();
    }
    frames.write(request.build());
  }

  /** An operation and what came of it. */
  record Settled(RowTurn turn, Outcome outcome) {}

  /**
   * Waits for a message with answers.
   *
   * @throws IOException if no more come
   */
  List<Settled> receive() throws IOException {
    Optional<ExchangeResponse> response = frames.read(ExchangeResponse.parser());
    if (response.isEmpty()) {
      throw new EndedException();
    }
    List<Settled> settled = new ArrayList<>(response.get().getAnswersCount());
    synchronized (this) {
      for (TableAnswer answer : response.get().getAnswersList()) {
        settled.add(
            new Settled(
                answered(answer.getId()),
                new Outcome.Answered(answer, response.get().getIncarnation())));
      }
    }
    return settled;
  }

  private RowTurn answered(long id) throws IOException {
    RowTurn turn = id >= 0 && id < sent.length ? sent[(int) id] : null;
    if (turn == null) {
      throw new IOException("an answer to operation " + id + ", which was not asked for");
    }
    sent[(int) id] = null;
    unanswered--;
    return turn;
  }

  synchronized boolean awaitsAnswers() {
    return unanswered > 0;
  }

  /** Whether a turn was sent and is not answered. */
  synchronized boolean carries(RowTurn turn) {
    for (RowTurn each : sent) {
      if (each == turn) {
        return true;
      }
    }
    return false;
  }

  /** Leaves what is not answered to the thread of another turn; false if none waits any more. */
  synchronized boolean leaveToAnother() {
    for (RowTurn turn : sent) {
      if (turn != null && turn.lead(this)) {
        receiver = turn;
        return true;
      }
    }
    return false;
  }

  /** What becomes of operations that were sent, when no more answers come. */
  synchronized List<Settled> lost(IOException why) {
    Outcome outcome;
    if (ended != null) {
      outcome = ended;
    } else if (why instanceof EndedException) {
      outcome = new Outcome.Lost("ended the connection", false, false);
    } else {
      outcome = new Outcome.Lost("has lost the connection: " + why, true, false);
    }
    List<Settled> settled = new ArrayList<>();
    for (RowTurn turn : sent) {
      if (turn != null) {
        settled.add(new Settled(turn, outcome));
      }
    }
    return settled;
  }

  /** The operations under way. */
  synchronized List<RowTurn> underWay() {
    List<RowTurn> all = new ArrayList<>();
    for (RowTurn turn : sent) {
      if (turn != null) {
        all.add(turn);
      }
    }
    return all;
  }

  /**
   * Whether the server has said nothing for so long that it may hang; asked again after as long.
   */
  synchronized boolean isQuiet(long now, long nanos) {
    if (unanswered == 0 || now - quietSince < nanos) {
      return false;
    }
    quietSince = now;
    return true;
  }

  /** Ends the wait of one operation, unless it was answered by now. */
  synchronized void end(RowTurn turn, Outcome why) {
    for (int id = 0; id < sent.length; id++) {
      if (sent[id] != turn) {
        continue;
      }
      if (turn == receiver) { // its thread is blocked until the server's next message
        ended = why;
        frames.close();
      } else {
        turn.settle(why); // its answer is dropped when it comes
      }
    }
  }

  @Override
  public void close() {
    frames.close();
  }

  /** The server announced that it has done nothing but what it answered. */
  private static final class EndedException extends IOException {
    private static final long serialVersionUID = 1;
  }
}
