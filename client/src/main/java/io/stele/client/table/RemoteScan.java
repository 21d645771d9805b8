package io.stele.client.table;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.ScanTableRequest;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.v1.TablePage;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WirePredicates;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A scan over the network: pages come on their own as long as they are taken, one ahead.
 *
 * <p>When the connection breaks or the server closed the scan, it goes on behind the last cell, at
 * the same transaction. Where that transaction can no longer be read, it goes on at the present
 * one, and repeats the row in which it was from its start: a page with another {@link CellPage#txn}
 * begins with that row, or with the next if it is gone.
 */
final class RemoteScan implements TableScan {
  private static final int PAGE_BYTES = 1 << 20;

  private final Caller caller;
  private final TabletLocations locations;
  private final String table;
  private final ReadPredicate predicate;
  private final ScanOptions options;
  private final PageCutter cutter;

  private @Nullable Attempt attempt;
  private long txn;
  private boolean ended;
  private Failures failures = Failures.NONE; // since a page came

  RemoteScan(
      Caller caller,
      TabletLocations locations,
      String table,
      ReadPredicate predicate,
      ScanOptions options) {
    this.caller = caller;
    this.locations = locations;
    this.table = table;
    this.predicate = predicate;
    this.options = options;
    this.cutter = new PageCutter(options.maxRows());
  }

  /** Begins; returns once a server has told at which transaction. */
  void start() {
    begin();
  }

  @Override
  public long txn() {
    return txn;
  }

  @Override
  public CellPage next(int maxBytes) {
    Optional<CellPage> left = cutter.next(maxBytes);
    if (left.isPresent()) {
      return left.get();
    }
    if (ended) {
      return new CellPage(txn, Optional.empty(), false);
    }
    Attempt current = attempt;
    if (current == null) {
      throw new UnavailableException("scan of table \"" + table + "\" is closed");
    }
    return switch (current.take()) {
      case Page page -> {
        failures = Failures.NONE;
        current.call.request(1);
        ended = !page.wire.getMore();
        cutter.add(WireCells.page(page.wire));
        ended |= cutter.isFull();
        yield cutter.next(maxBytes).orElseGet(() -> new CellPage(txn, Optional.empty(), !ended));
      }
      case End end -> {
        resume(end);
        yield next(maxBytes);
      }
    };
  }

  // ---- beginning, and beginning again

  /** How often in a row it went wrong, and since when. */
  private record Failures(int count, long since) {
    static final Failures NONE = new Failures(0, 0);
  }

  private void resume(End end) {
    SteleException problem = end.problem(table);
    if (!(problem instanceof NotFoundException)) {
      pauseAfter(end, problem);
    }
    // Else the scan was left alone for too long, and is forgotten; or the table is gone, which is
    // told now.
    begin();
  }

  /** Tries until a server answers, the time is over, or it makes no sense to try again. */
  private void begin() {
    boolean anew = false; // at the present transaction
    while (true) {
      Attempt next = new Attempt(locations.of(table));
      attempt = next;
      next.start(request(anew));
      switch (next.takeHead(caller.settings().timeout())) {
        case Page head -> {
          if (anew) {
            cutter.dropLastRow();
          }
          txn = head.wire.getTxn();
          return;
        }
        case End end -> {
          SteleException problem = end.problem(table);
          if (problem instanceof NotFoundException && !anew && txn != 0 && options.atTxn() == 0) {
            anew = true; // what it saw is gone; if it is the table, that is told now
          } else {
            pauseAfter(end, problem);
          }
        }
      }
    }
  }

  private ScanTableRequest request(boolean anew) {
    ReadPredicate rows = predicate;
    ScanOptions how = options;
    if (txn != 0 && !anew) {
      how = how.withAtTxn(txn);
    }
    Optional<ScanOptions.Position> last = cutter.last();
    if (last.isPresent()) {
      how = how.withMaxRows(cutter.rowsLeft());
      if (anew) {
        rows = predicate.withRows(rowsFrom(last.get().row()));
      } else {
        how = how.withAfter(last.get());
      }
    }
    return ScanTableRequest.newBuilder()
        .setTable(table)
        .setPredicate(WirePredicates.toWire(rows))
        .setOptions(WirePredicates.toWire(how))
        .setPageBytes(PAGE_BYTES)
        .build();
  }

  private List<RowRange> rowsFrom(Bytes row) {
    RowRange behind = new RowRange(row, null);
    return predicate.rows().stream().flatMap(range -> range.intersect(behind).stream()).toList();
  }

  /** Waits before another attempt, or throws what makes one useless. */
  private void pauseAfter(End end, SteleException problem) {
    switch (problem) {
      case NotServingException elsewhere
          when elsewhere.hint().filter(hint -> !hint.equals(end.endpoint.address())).isPresent() ->
          locations.movedTo(table, elsewhere.hint().get());
      case NotServingException _, UnavailableException _ ->
          locations.leave(table, end.endpoint, ErrorMapping.neverSent(end.status));
      case ExhaustedException _ -> {}
      default -> throw problem;
    }
    long now = caller.clock().nanos();
    failures = new Failures(failures.count + 1, failures.count == 0 ? now : failures.since);
    long pause = caller.pauseNanos(failures.count);
    if (now + pause - failures.since > caller.settings().timeout().toNanos()) {
      throw problem;
    }
    Table.await(caller.pause(pause));
  }

  @Override
  public void close() {
    Attempt current = attempt;
    attempt = null;
    if (current != null) {
      current.call.cancel("the scan is closed", null);
    }
  }

  // ---- one call

  private sealed interface Received permits Page, End {}

  private record Page(TablePage wire) implements Received {}

  private record End(Endpoint endpoint, Status status, Metadata trailers) implements Received {
    SteleException problem(String table) {
      return status.isOk()
          ? new UnavailableException(
              endpoint.address() + " ended the scan of table \"" + table + "\" too early")
          : ErrorMapping.fromStatus(endpoint.address(), status, trailers);
    }
  }

  private static final class Attempt extends ClientCall.Listener<TablePage> {
    private final Endpoint endpoint;
    private final ClientCall<ScanTableRequest, TablePage> call;
    // At most the pages that were asked for, and the end.
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();

    Attempt(Endpoint endpoint) {
      this.endpoint = endpoint;
      this.call =
          endpoint
              .channel()
              .newCall(
                  TableDataGrpc.getScanTableMethod(),
                  CallOptions.DEFAULT.withMaxInboundMessageSize(WireLimits.MAX_MESSAGE_BYTES));
    }

    void start(ScanTableRequest request) {
      call.start(this, new Metadata());
      call.request(2); // the head and the first page
      call.sendMessage(request);
      call.halfClose();
    }

    @Override
    public void onMessage(TablePage message) {
      received.add(new Page(message));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      received.add(new End(endpoint, status, trailers));
    }

    /** As {@link #take}; a server that says nothing at all is given up. */
    Received takeHead(Duration timeout) {
      try {
        Received first = received.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (first != null) {
          return first;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      call.cancel("no answer in time", null);
      return new End(
          endpoint,
          Status.UNAVAILABLE.withDescription("no answer within " + timeout),
          new Metadata());
    }

    Received take() {
      try {
        return received.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UnavailableException("interrupted while waiting for " + endpoint.address(), e);
      }
    }
  }
}
