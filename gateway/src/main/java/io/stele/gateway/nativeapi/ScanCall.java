package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.CellPage;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.gateway.nativeapi.Backend.ServedTables;
import io.stele.protocol.v1.ScanTableRequest;
import io.stele.protocol.v1.TablePage;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireConsistency;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WirePredicates;
import org.jspecify.annotations.Nullable;

/**
 * One scan, on a thread of its own. It reads the next page only when the connection has room for
 * it, so a slow client costs one page of memory. Pages begin small, for those who want little, and
 * double.
 */
final class ScanCall implements Runnable {
  private static final int FIRST_PAGE_BYTES = 32 << 10;

  private final @Nullable ServedTables served;
  private final ScanTableRequest request;
  private final ServerCallStreamObserver<TablePage> caller;
  private volatile boolean ending;

  ScanCall(
      @Nullable ServedTables served,
      ScanTableRequest request,
      ServerCallStreamObserver<TablePage> caller) {
    this.served = served;
    this.request = request;
    this.caller = caller;
    caller.setOnReadyHandler(this::wake);
    caller.setOnCancelHandler(this::wake);
  }

  @Nullable ServedTables served() {
    return served;
  }

  private synchronized void wake() {
    notifyAll();
  }

  /** Ends it behind the page it has come to; the client goes on elsewhere. */
  void end() {
    ending = true;
    wake();
  }

  @Override
  public void run() {
    try {
      if (send(tables())) {
        caller.onCompleted();
      }
    } catch (RuntimeException | Error e) {
      caller.onError(ErrorMapping.toStatus(e));
    }
  }

  private Tables tables() {
    Tables tables = Backend.orNoTables(served);
    return request.hasConsistency()
        ? tables.at(WireConsistency.consistency(request.getConsistency()))
        : tables;
  }

  /** False if the client went away. */
  private boolean send(Tables tables) {
    if (request.getPageBytes() < 1) {
      throw new InvalidRequestException(
          "a scan in pages of " + request.getPageBytes() + " bytes: must be at least 1");
    }
    long incarnation = served == null ? 0 : served.incarnation();
    if (request.getIncarnation() != 0 && request.getIncarnation() != incarnation) {
      throw new NotFoundException(
          "transaction "
              + request.getOptions().getAtTxn()
              + " is of a server that has ended since");
    }
    try (TableScan scan =
        tables.scan(
            request.getTable(),
            WirePredicates.predicate(request.getPredicate()),
            WirePredicates.options(request.getOptions()))) {
      caller.onNext(
          TablePage.newBuilder()
              .setTxn(scan.txn())
              .setMore(true)
              .setIncarnation(incarnation)
              .build());
      int most = Math.min(request.getPageBytes(), WireLimits.MAX_PAGE_BYTES);
      int bytes = Math.min(most, FIRST_PAGE_BYTES);
      boolean more = true;
      while (more) {
        if (!awaitReady()) {
          return false;
        }
        if (ending) {
          throw new UnavailableException("this server is stopping");
        }
        CellPage page = scan.next(bytes);
        caller.onNext(WireCells.toWire(page));
        more = page.more();
        bytes = Math.min(most, bytes * 2);
      }
      return true;
    }
  }

  private synchronized boolean awaitReady() {
    while (!caller.isReady() && !caller.isCancelled() && !ending) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return !caller.isCancelled();
  }
}
