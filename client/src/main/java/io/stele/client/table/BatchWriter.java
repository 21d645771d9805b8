package io.stele.client.table;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Gathers changes of rows and sends them many at a time, with several batches under way. A change
 * is durable when {@link #flush} or {@link #close} has returned; the first failure is thrown by the
 * next call. One thread at a time.
 */
public final class BatchWriter implements AutoCloseable {
  private static final int BATCH_BYTES = 256 << 10;
  private static final int BATCH_ROWS = 1024;
  private static final int UNDER_WAY = 8;

  private final Tables tables;
  private final String table;
  private final Semaphore room = new Semaphore(UNDER_WAY);
  private final AtomicReference<@Nullable SteleException> failure = new AtomicReference<>();
  private List<CellBatch> rows = new ArrayList<>();
  private long bytes;

  BatchWriter(Tables tables, String table) {
    this.tables = tables;
    this.table = table;
  }

  public void add(RowMutation mutation) {
    checkFailure();
    CellBatch batch = mutation.build();
    rows.add(batch);
    bytes += batch.length();
    if (bytes >= BATCH_BYTES || rows.size() >= BATCH_ROWS) {
      send();
    }
  }

  private void send() {
    if (rows.isEmpty()) {
      return;
    }
    List<CellBatch> batch = rows;
    rows = new ArrayList<>();
    bytes = 0;
    room.acquireUninterruptibly();
    CompletableFuture<List<RowOutcome>> sent;
    try {
      sent = tables.applyRows(table, batch);
    } catch (RuntimeException e) {
      room.release();
      throw e;
    }
    var _ =
        sent.whenComplete(
            (outcomes, problem) -> {
              note(outcomes, problem);
              room.release();
            });
  }

  private void note(@Nullable List<RowOutcome> outcomes, @Nullable Throwable problem) {
    if (problem != null) {
      failure.compareAndSet(null, Table.failure(problem));
    } else if (outcomes != null) {
      for (RowOutcome outcome : outcomes) {
        outcome.failure().ifPresent(each -> failure.compareAndSet(null, each));
      }
    }
  }

  /** Sends what is left and waits until all is durable. */
  public void flush() {
    send();
    room.acquireUninterruptibly(UNDER_WAY);
    room.release(UNDER_WAY);
    checkFailure();
  }

  private void checkFailure() {
    SteleException first = failure.getAndSet(null);
    if (first != null) {
      throw first;
    }
  }

  @Override
  public void close() {
    flush();
  }
}
