package io.stele.client.table;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.Consistency;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoint;
import io.stele.client.table.TabletLocations.Place;
import io.stele.protocol.v1.ScanTableRequest;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.v1.TablePage;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireConsistency;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WirePredicates;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A scan over the network: pages come on their own as long as they are taken, one ahead. Where the
 * rows are at several servers, it goes from one to the next:
 *
 * <pre>
 *   rows      a ............ g | h ............ r | s ........ z
 *   tablets   [  ][    ][    ] | [      ][      ] | [  ][      ]
 *   legs        at server 1    |   at server 2    |  at server 1     each at a transaction of its own
 * </pre>
 *
 * <p>When the connection breaks or the server closed the scan, it goes on behind the last cell, at
 * the same transaction. Where that transaction can no longer be read, or the rows have moved to
 * another server, it goes on at the present one, and repeats the row in which it was from its
 * start: {@link #restarts} then counts one more, and the next page begins with that row, or with
 * the next if it is gone.
 */
final class RemoteScan implements TableScan {
  private static final int PAGE_BYTES = 1 << 20;
  private static final int MOST_HINTS = 3;

  private final Caller caller;
  private final TabletLocations locations;
  private final String table;
  private final Consistency consistency;
  private final ReadPredicate predicate;
  private final ScanOptions options;
  private final PageCutter cutter;

  private @Nullable Attempt attempt;
  private @Nullable Leg leg;
  private Bytes from; // the first row of this leg
  private long txn;
  private long restarts;
  private boolean begun;
  private boolean ended;
  private boolean closed;
  private Failures failures = Failures.NONE; // since a page came

  /**
   * The part of a scan that is at one server.
   *
   * @param cells whether some have come
   */
  private record Leg(Endpoint endpoint, RowRange run, long txn, long incarnation, boolean cells) {}

  RemoteScan(
      Caller caller,
      TabletLocations locations,
      String table,
      Consistency consistency,
      ReadPredicate predicate,
      ScanOptions options) {
    this.caller = caller;
    this.locations = locations;
    this.table = table;
    this.consistency = consistency;
    this.predicate = predicate;
    this.options = options;
    this.cutter = new PageCutter(options.maxRows());
    this.from = RangeRead.firstRow(predicate, options);
  }

  /** Begins; returns once a server has told at which transaction. */
  void start() {
    begin();
  }

  /** The transaction of the server that it has come to. */
  @Override
  public long txn() {
    return txn;
  }

  /** How often it had to repeat the row in which it was. */
  long restarts() {
    return restarts;
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
    if (closed) {
      throw new UnavailableException("scan of table \"" + table + "\" is closed");
    }
    Attempt current = attempt;
    Leg here = leg;
    if (current == null || here == null) { // the leg before has come to its end
      begin();
      return next(maxBytes);
    }
    return switch (current.take()) {
      case Page page -> {
        failures = Failures.NONE;
        current.call.request(1);
        add(here, WireCells.page(page.wire));
        yield cutter.next(maxBytes).orElseGet(() -> new CellPage(txn, Optional.empty(), !ended));
      }
      case End end -> {
        resume(end);
        yield next(maxBytes);
      }
    };
  }

  private void add(Leg here, CellPage page) {
    leg =
        new Leg(here.endpoint, here.run, here.txn, here.incarnation, here.cells || hasCells(page));
    Bytes next = here.run.to();
    Optional<RowRange> behind =
        next == null ? Optional.empty() : RangeRead.rowsFrom(predicate, next).findFirst();
    cutter.add(new CellPage(page.txn(), page.cells(), page.more() || behind.isPresent()));
    ended = cutter.isFull() || (!page.more() && (behind.isEmpty() || cutter.hasAllRows()));
    if (ended) {
      cutter.noMore();
    } else if (!page.more()) {
      from = behind.orElseThrow().from();
      leg = null;
    }
  }

  private static boolean hasCells(CellPage page) {
    return page.cells().isPresent();
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
    while (true) {
      Place place;
      try {
        place = Table.await(locations.place(table, firstRowNow()));
      } catch (SteleException e) {
        pauseAfter(e);
        continue;
      }
      Leg before = leg;
      if (before != null && before.endpoint != place.endpoint()) {
        startLegAnew();
        continue;
      }
      RowRange run = locations.run(table, place, predicate.rows().getLast().to());
      Attempt next = new Attempt(place.endpoint(), run);
      attempt = next;
      next.start(request(run));
      switch (next.takeHead(headTimeout())) {
        case Page head -> {
          txn = head.wire.getTxn();
          boolean cells = before != null && before.cells;
          begun = true;
          leg = new Leg(place.endpoint(), run, txn, head.wire.getIncarnation(), cells);
          return;
        }
        case End end -> {
          SteleException problem = end.problem(table);
          if (problem instanceof NotFoundException && leg != null && options.atTxn() == 0) {
            startLegAnew(); // what it saw is gone; if it is the table, that is told now
          } else {
            pauseAfter(end, problem);
          }
        }
      }
    }
  }

  private Duration headTimeout() {
    Duration one = caller.settings().attemptTimeout();
    Duration all = caller.settings().timeout();
    return one.compareTo(all) < 0 ? one : all;
  }

  private Bytes firstRowNow() {
    Leg here = leg;
    return here != null && here.cells ? cutter.last().orElseThrow().row() : from;
  }

  /** At another transaction, so that the row in which it is must come again. */
  private void startLegAnew() {
    Leg here = leg;
    if (here != null && here.cells) {
      from = cutter.last().orElseThrow().row();
      cutter.dropLastRow();
      restarts++;
    }
    if (options.atTxn() != 0) {
      throw RangeRead.severalServers(table, options.atTxn());
    }
    leg = null;
  }

  private ScanTableRequest request(RowRange run) {
    ScanTableRequest.Builder request =
        ScanTableRequest.newBuilder().setTable(table).setPageBytes(PAGE_BYTES);
    if (!consistency.equals(Consistency.DEFAULT)) {
      request.setConsistency(WireConsistency.toWire(consistency));
    }
    ScanOptions how = options;
    Leg here = leg;
    if (here == null) {
      how = how.withMaxRows(cutter.newRowsLeft());
      if (options.atTxn() != 0 && begun) {
        throw RangeRead.severalServers(table, options.atTxn());
      }
    } else {
      how = how.withAtTxn(here.txn);
      request.setIncarnation(here.incarnation);
      how =
          here.cells
              ? how.withMaxRows(cutter.rowsLeft()).withAfter(cutter.last().orElseThrow())
              : how.withMaxRows(cutter.newRowsLeft());
    }
    ReadPredicate rows = RangeRead.within(predicate, firstRowNow(), run);
    return request
        .setPredicate(WirePredicates.toWire(rows))
        .setOptions(WirePredicates.toWire(how))
        .build();
  }

  /** Waits before another attempt, or throws what makes one useless. */
  private void pauseAfter(End end, SteleException problem) {
    switch (problem) {
      case NotServingException elsewhere
          when failures.count < MOST_HINTS
              && elsewhere.hint().filter(h -> !h.equals(end.endpoint.address())).isPresent() ->
          locations.movedTo(table, firstRowNow(), elsewhere.hint().get());
      case NotServingException _, FencedException _, UnavailableException _ -> {
        locations.forget(table, end.run, end.endpoint);
        locations.lost(end.endpoint, ErrorMapping.neverSent(end.status));
      }
      default -> {}
    }
    pauseAfter(problem);
  }

  private void pauseAfter(SteleException problem) {
    if (!PendingOperation.passes(problem) && !(problem instanceof OutcomeUnknownException)) {
      throw problem;
    }
    long now = caller.clock().nanos();
    failures = new Failures(failures.count + 1, failures.count == 0 ? now : failures.since);
    long pause = caller.pauseNanos(failures.count);
    if (now + pause - failures.since > caller.settings().timeout().toNanos()) {
      throw PendingOperation.last(problem);
    }
    Table.await(caller.pause(pause));
  }

  @Override
  public void close() {
    closed = true;
    Attempt current = attempt;
    attempt = null;
    if (current != null) {
      current.call.cancel("the scan is closed", null);
    }
  }

  // ---- one call

  private sealed interface Received permits Page, End {}

  private record Page(TablePage wire) implements Received {}

  private record End(Endpoint endpoint, RowRange run, Status status, Metadata trailers)
      implements Received {
    SteleException problem(String table) {
      return status.isOk()
          ? new UnavailableException(
              endpoint.address() + " ended the scan of table \"" + table + "\" too early")
          : ErrorMapping.fromStatus(endpoint.address(), status, trailers);
    }
  }

  private static final class Attempt extends ClientCall.Listener<TablePage> {
    private final Endpoint endpoint;
    private final RowRange run;
    private final ClientCall<ScanTableRequest, TablePage> call;
    // At most the pages that were asked for, and the end.
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();

    Attempt(Endpoint endpoint, RowRange run) {
      this.endpoint = endpoint;
      this.run = run;
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
      received.add(new End(endpoint, run, status, trailers));
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
          run,
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
