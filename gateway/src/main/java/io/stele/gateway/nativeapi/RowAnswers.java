package io.stele.gateway.nativeapi;

import io.stele.protocol.v1.ExchangeResponse;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.wire.RowFrames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The answers to one request by the row protocol. They go out together where possible, but a slow
 * operation keeps no other waiting, and large answers go out as they come.
 */
final class RowAnswers {
  /** What changes of one request wait for is the same sync; it takes about a millisecond. */
  private static final long TOGETHER_MILLIS = 5;

  /** More than this is sent without waiting for the rest. */
  private static final int ENOUGH_BYTES = 64 << 10;

  private final RowFrames frames;
  private final long incarnation;
  private final List<CompletableFuture<TableAnswer>> waiting = new ArrayList<>();
  private ExchangeResponse.Builder next = ExchangeResponse.newBuilder();
  private int bytes; // of the answers in next

  RowAnswers(RowFrames frames, long incarnation) {
    this.frames = frames;
    this.incarnation = incarnation;
  }

  /** One more answer, which may still be to come. */
  void add(CompletableFuture<TableAnswer> answer) throws IOException {
    if (answer.isDone()) {
      gather(answer.join());
    } else {
      waiting.add(answer);
    }
  }

  /** Sends all that is left. */
  void finish() throws IOException {
    if (!waiting.isEmpty()) {
      awaitAll();
    }
    while (true) {
      for (Iterator<CompletableFuture<TableAnswer>> each = waiting.iterator(); each.hasNext(); ) {
        CompletableFuture<TableAnswer> answer = each.next();
        if (answer.isDone()) {
          each.remove();
          gather(answer.join());
        }
      }
      send();
      if (waiting.isEmpty()) {
        return;
      }
      CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)).join();
    }
  }

  /** Waits a little for all of them. */
  private void awaitAll() {
    try {
      CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
          .get(TOGETHER_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // Those that are there go out now.
    } catch (ExecutionException e) {
      throw new IllegalStateException("an operation without an answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void gather(TableAnswer answer) throws IOException {
    int size = answer.getSerializedSize();
    if (bytes > 0 && bytes + size > ENOUGH_BYTES) {
      send();
    }
    next.addAnswers(answer);
    bytes += size;
    if (bytes > ENOUGH_BYTES) {
      send();
    }
  }

  private void send() throws IOException {
    if (next.getAnswersCount() > 0) {
      frames.write(next.setIncarnation(incarnation).build());
      next = ExchangeResponse.newBuilder();
      bytes = 0;
    }
  }
}
