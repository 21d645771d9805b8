package io.stele.client.metastore;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.MetastoreGrpc;
import io.stele.protocol.v1.WatchRequest;
import io.stele.protocol.v1.WatchResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A watch that outlives connections: when one is lost it goes on at another member, from the
 * revision behind the last one told, so nothing is left out and nothing told twice.
 *
 * <p>The network's thread only queues; a virtual thread calls the listener and owns all state. At
 * most {@link #WINDOW} messages wait here: then the server does.
 */
public final class Watcher implements AutoCloseable {
  private static final int WINDOW = 16;

  /** What reaches the listener's thread. */
  private sealed interface Signal {
    record Message(int attempt, WatchResponse response) implements Signal {}

    record Ended(int attempt, Endpoint endpoint, Status status, Metadata trailers)
        implements Signal {}

    record Again() implements Signal {}

    record Closed() implements Signal {}
  }

  private final Caller caller;
  private final Keys keys;
  private final WatchOptions options;
  private final WatchListener listener;
  private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final CompletableFuture<Long> started = new CompletableFuture<>();
  private volatile boolean closed;

  // Of the listener's thread.
  private long next; // the first revision not told yet; 0 until the server says which that is
  private int attempt;
  private int failures; // since something was heard
  private @Nullable ClientCall<WatchRequest, WatchResponse> call;

  private Watcher(Caller caller, Keys keys, WatchOptions options, WatchListener listener) {
    this.caller = caller;
    this.keys = keys;
    this.options = options;
    this.listener = listener;
    this.next = options.from();
  }

  static Watcher start(Caller caller, Keys keys, WatchOptions options, WatchListener listener) {
    Watcher watcher = new Watcher(caller, keys, options, listener);
    Thread.ofVirtual().name("stele-watch").start(watcher::run);
    return watcher;
  }

  /** Completes with the first revision that is told, once the watch is set. */
  public CompletableFuture<Long> started() {
    return started;
  }

  /** The listener hears nothing that was not under way. */
  @Override
  public void close() {
    closed = true;
    signals.add(new Signal.Closed());
  }

  private void run() {
    try {
      connect();
      boolean going = true;
      while (going) {
        going =
            switch (signals.take()) {
              case Signal.Message(var of, var response) -> of != attempt || heard(response);
              case Signal.Ended ended -> ended.attempt != attempt || again(ended);
              case Signal.Again() -> connect();
              case Signal.Closed() -> false;
            };
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      listener.failed(
          new UnavailableException("the watch of " + keys + " ended, as its listener failed", e));
    } finally {
      closed = true;
      started.completeExceptionally(new UnavailableException("the watch was closed"));
      if (call != null) {
        call.cancel("the watch was closed", null);
      }
    }
  }

  private boolean connect() {
    attempt++;
    Endpoint endpoint = caller.endpoints().current();
    call = endpoint.channel().newCall(MetastoreGrpc.getWatchMethod(), CallOptions.DEFAULT);
    call.start(new Receiver(attempt, endpoint), new Metadata());
    call.request(WINDOW);
    call.sendMessage(
        WatchRequest.newBuilder()
            .setRange(Wire.range(keys))
            .setFrom(next)
            .setPrevious(options.previous())
            .setProgressMillis(options.progress().toMillis())
            .build());
    call.halfClose();
    return true;
  }

  private final class Receiver extends ClientCall.Listener<WatchResponse> {
    private final int of;
    private final Endpoint endpoint;

    Receiver(int of, Endpoint endpoint) {
      this.of = of;
      this.endpoint = endpoint;
    }

    @Override
    public void onMessage(WatchResponse response) {
      signals.add(new Signal.Message(of, response));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      signals.add(new Signal.Ended(of, endpoint, status, trailers));
    }
  }

  /** Returns whether the watch goes on. */
  private boolean heard(WatchResponse response) {
    failures = 0;
    if (closed) {
      return false;
    }
    switch (response.getMessageCase()) {
      case STARTED -> {
        // The member may know more than we were told: what we were told counts.
        if (next == 0) {
          next = response.getStarted().getRevision();
        }
        started.complete(next);
      }
      case EVENTS -> {
        long revision = response.getEvents().getRevision();
        if (revision >= next) {
          next = revision + 1; // first: a listener that throws is not told the same again
          listener.changed(revision, events(response.getEvents().getEventsList()));
        }
      }
      case PROGRESS -> {
        long revision = response.getProgress().getRevision();
        if (revision >= next - 1) {
          next = revision + 1;
          listener.progressed(revision);
        }
      }
      case COMPACTED -> {
        long oldest = response.getCompacted().getOldest();
        started.completeExceptionally(
            new NotFoundException("revision " + next + " was compacted: the oldest is " + oldest));
        listener.compacted(oldest);
        return false;
      }
      case MESSAGE_NOT_SET -> {} // of a newer server
    }
    if (call != null) {
      call.request(1);
    }
    return true;
  }

  private static List<KeyEvent> events(List<WatchResponse.Event> messages) {
    List<KeyEvent> events = new ArrayList<>(messages.size());
    for (WatchResponse.Event message : messages) {
      events.add(
          new KeyEvent(
              message.getDeleted(),
              Wire.keyValue(message.getNow()),
              message.hasBefore()
                  ? Optional.of(Wire.keyValue(message.getBefore()))
                  : Optional.empty()));
    }
    return events;
  }

  /** A connection ended: sets the watch again, unless that would not help. */
  private boolean again(Signal.Ended ended) {
    if (closed) {
      return false;
    }
    SteleException problem =
        ErrorMapping.fromStatus(ended.endpoint.address(), ended.status, ended.trailers);
    boolean passing =
        ended.status.isOk() // a server that stops may end the stream properly
            || problem instanceof UnavailableException
            || problem instanceof NotServingException
            || problem instanceof OutcomeUnknownException;
    if (!passing) {
      started.completeExceptionally(problem);
      listener.failed(problem);
      return false;
    }
    failures++;
    try {
      caller.endpoints().lost(ended.endpoint, ErrorMapping.neverSent(ended.status));
      var _ =
          caller
              .timer()
              .schedule(
                  () -> signals.add(new Signal.Again()),
                  caller.pauseNanos(failures),
                  TimeUnit.NANOSECONDS);
    } catch (SteleException | RejectedExecutionException clientClosed) {
      return false;
    }
    return true;
  }
}
